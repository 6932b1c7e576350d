import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServerOptions;

/** Echoes WebSocket messages on one event loop on NIO; its argument is the port. */
public final class VertxEcho {
  public static void main(String[] args) {
    HttpServerOptions options = new HttpServerOptions().setHost("127.0.0.1").setPort(Integer.parseInt(args[0])).setAcceptBacklog(4096);
    Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1))
        .createHttpServer(options)
        .webSocketHandler(socket -> socket.binaryMessageHandler(socket::writeBinaryMessage))
        .listen()
        .onFailure(reason -> {
          System.err.println(reason);
          System.exit(1);
        });
  }
}
