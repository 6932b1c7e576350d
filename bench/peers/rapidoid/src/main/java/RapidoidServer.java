import org.rapidoid.buffer.Buf;
import org.rapidoid.config.Conf;
import org.rapidoid.http.AbstractHttpServer;
import org.rapidoid.http.HttpStatus;
import org.rapidoid.http.HttpUtils;
import org.rapidoid.http.MediaType;
import org.rapidoid.net.Server;
import org.rapidoid.net.TCP;
import org.rapidoid.net.abstracts.Channel;
import org.rapidoid.net.impl.RapidoidHelper;

import java.nio.charset.StandardCharsets;

/** Rapidoid's lowest level, as its own benchmarks use it, with one worker. */
public final class RapidoidServer extends AbstractHttpServer {
  private static final byte[] PLAINTEXT = "/plaintext".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] JSON = "/json".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ECHO = "/echo".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] HELLO = "Hello, World!".getBytes(StandardCharsets.US_ASCII);

  public static final class Message {
    public final String message;

    Message(String message) {
      this.message = message;
    }
  }

  @Override
  protected HttpStatus handle(Channel channel, Buf buffer, RapidoidHelper request) {
    boolean keepAlive = request.isKeepAlive.value;
    if (request.isGet.value) {
      if (matches(buffer, request.path, PLAINTEXT)) {
        return ok(channel, keepAlive, HELLO, MediaType.TEXT_PLAIN);
      }
      if (matches(buffer, request.path, JSON)) {
        return serializeToJson(HttpUtils.noReq(), channel, keepAlive, new Message("Hello, World!"));
      }
    } else if (matches(buffer, request.path, ECHO)) {
      byte[] body = new byte[request.body.length];
      for (int i = 0; i < body.length; i++) body[i] = buffer.get(request.body.start + i);
      return ok(channel, keepAlive, body, MediaType.BINARY);
    }
    return HttpStatus.NOT_FOUND;
  }

  // What listen() does, with the number of workers said, and room for more than the ten pipelined requests it has by default
  // (more than that at once and the connection stalls).
  @Override
  public Server listen(String address, int port) {
    return TCP.server(Conf.HTTP)
        .protocol(this)
        .address(address)
        .port(port)
        .workers(1)
        .noDelay(true)
        .maxPipeline(128)
        .syncBufs(true)
        .build()
        .start();
  }

  public static void main(String[] args) {
    new RapidoidServer().listen("127.0.0.1", Integer.parseInt(args[0]));
  }
}
