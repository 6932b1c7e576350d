import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.PemKeyCertOptions;

import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * One event loop on NIO. Vert.x leaves Date and Server to the application. With TLS_CERT and TLS_KEY in the environment
 * it speaks TLS, by the JDK's engine.
 */
public final class VertxServer {
  private static final Buffer HELLO = Buffer.buffer("Hello, World!");
  private static final Buffer BIG = Buffer.buffer(new byte[1 << 20]);
  private static final CharSequence HELLO_LENGTH = HttpHeaders.createOptimized(String.valueOf(HELLO.length()));
  private static final CharSequence SERVER = HttpHeaders.createOptimized("vert.x");
  private static final CharSequence TEXT = HttpHeaders.createOptimized("text/plain");
  private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");
  private static final DateTimeFormatter DATE_FORMAT = DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH);

  private static CharSequence date;

  private static void renderDate() {
    date = HttpHeaders.createOptimized(DATE_FORMAT.format(ZonedDateTime.now(ZoneOffset.UTC)));
  }

  private static void serve(HttpServerRequest request) {
    HttpServerResponse response = request.response();
    response.putHeader(HttpHeaders.SERVER, SERVER).putHeader(HttpHeaders.DATE, date);
    switch (request.path()) {
      case "/plaintext":
        response.putHeader(HttpHeaders.CONTENT_TYPE, TEXT).putHeader(HttpHeaders.CONTENT_LENGTH, HELLO_LENGTH).end(HELLO);
        break;
      case "/json":
        response.putHeader(HttpHeaders.CONTENT_TYPE, JSON).end(new JsonObject().put("message", "Hello, World!").toBuffer());
        break;
      case "/big":
        response.end(BIG);
        break;
      case "/echo":
        String type = request.getHeader(HttpHeaders.CONTENT_TYPE), length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        if (type != null) response.putHeader(HttpHeaders.CONTENT_TYPE, type);
        if (length != null) response.putHeader(HttpHeaders.CONTENT_LENGTH, length);
        else response.setChunked(true);
        request.pipeTo(response);
        break;
      default:
        response.setStatusCode(404).end();
    }
  }

  public static void main(String[] args) {
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    renderDate();
    vertx.setPeriodic(1000, tick -> renderDate());
    HttpServerOptions options = new HttpServerOptions().setHost("127.0.0.1").setPort(Integer.parseInt(args[0])).setAcceptBacklog(4096);
    String certificate = System.getenv("TLS_CERT");
    if (certificate != null)
      options.setSsl(true).setKeyCertOptions(new PemKeyCertOptions().setCertPath(certificate).setKeyPath(System.getenv("TLS_KEY")));
    vertx.createHttpServer(options).requestHandler(VertxServer::serve).listen().onFailure(reason -> {
      System.err.println(reason);
      System.exit(1);
    });
  }
}
