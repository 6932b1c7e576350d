import com.fasterxml.jackson.databind.ObjectMapper;
import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import org.xnio.Options;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** One I/O thread, which runs the handlers too: nothing is dispatched. */
public final class UndertowServer {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final byte[] HELLO = "Hello, World!".getBytes(StandardCharsets.US_ASCII);
  private static final ByteBuffer HELLO_BUFFER = ByteBuffer.allocateDirect(HELLO.length).put(HELLO).flip();

  record Message(String message) {}

  private static void serve(HttpServerExchange exchange) throws Exception {
    switch (exchange.getRequestPath()) {
      case "/plaintext":
        exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "text/plain");
        exchange.getResponseSender().send(HELLO_BUFFER.duplicate());
        break;
      case "/json":
        exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "application/json");
        exchange.getResponseSender().send(ByteBuffer.wrap(JSON.writeValueAsBytes(new Message("Hello, World!"))));
        break;
      case "/echo":
        exchange.getRequestReceiver().receiveFullBytes((received, body) -> {
          received.getResponseHeaders().put(Headers.CONTENT_TYPE, "application/octet-stream");
          received.getResponseSender().send(ByteBuffer.wrap(body));
        });
        break;
      default:
        exchange.setStatusCode(404);
    }
  }

  public static void main(String[] args) {
    Undertow.builder()
        .setIoThreads(1)
        .setWorkerThreads(1)
        .setSocketOption(Options.BACKLOG, 4096)
        .setServerOption(UndertowOptions.ALWAYS_SET_KEEP_ALIVE, false)
        .addHttpListener(Integer.parseInt(args[0]), "127.0.0.1")
        .setHandler(exchange -> {
          exchange.getResponseHeaders().put(Headers.SERVER, "undertow");
          serve(exchange);
        })
        .build()
        .start();
  }
}
