import com.fasterxml.jackson.databind.ObjectMapper;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** One selector that accepts as well, and the smallest pool Jetty starts with. The handler never blocks and says so. */
public final class JettyServer {
  private static final byte[] HELLO = "Hello, World!".getBytes(StandardCharsets.US_ASCII);
  private static final ObjectMapper JSON = new ObjectMapper();

  record Message(String message) {}

  private static final class Endpoints extends Handler.Abstract.NonBlocking {
    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
      switch (Request.getPathInContext(request)) {
        case "/plaintext":
          response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain");
          response.write(true, ByteBuffer.wrap(HELLO), callback);
          return true;
        case "/json":
          response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
          response.write(true, ByteBuffer.wrap(JSON.writeValueAsBytes(new Message("Hello, World!"))), callback);
          return true;
        case "/echo":
          String type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
          if (type != null) response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
          if (request.getLength() >= 0) response.getHeaders().put(HttpHeader.CONTENT_LENGTH, request.getLength());
          Content.copy(request, response, callback);
          return true;
        default:
          return false;
      }
    }
  }

  public static void main(String[] args) throws Exception {
    QueuedThreadPool threads = new QueuedThreadPool(8, 4);
    Server server = new Server(threads);
    HttpConfiguration configuration = new HttpConfiguration();
    configuration.setSendDateHeader(true);
    configuration.setSendServerVersion(true);
    ServerConnector connector = new ServerConnector(server, 0, 1, new HttpConnectionFactory(configuration));
    connector.setHost("127.0.0.1");
    connector.setPort(Integer.parseInt(args[0]));
    connector.setAcceptQueueSize(4096);
    server.addConnector(connector);
    server.setHandler(new Endpoints());
    server.start();
    server.join();
  }
}
