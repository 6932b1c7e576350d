import com.fasterxml.jackson.databind.ObjectMapper;
import io.helidon.http.HeaderNames;
import io.helidon.http.Header;
import io.helidon.http.HeaderValues;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/** A virtual thread for each connection, as Helidon works; on one core they share one carrier. */
public final class HelidonServer {
  private static final byte[] HELLO = "Hello, World!".getBytes(StandardCharsets.US_ASCII);
  private static final Header TEXT = HeaderValues.createCached(HeaderNames.CONTENT_TYPE, "text/plain");
  private static final Header APPLICATION_JSON = HeaderValues.createCached(HeaderNames.CONTENT_TYPE, "application/json");
  private static final Header SERVER = HeaderValues.createCached(HeaderNames.SERVER, "helidon");
  private static final ObjectMapper JSON = new ObjectMapper();

  record Message(String message) {}

  private static void route(HttpRouting.Builder routing) {
    routing
        .get("/plaintext", (request, response) -> response.header(SERVER).header(TEXT).send(HELLO))
        .get("/json", (request, response) ->
            response.header(SERVER).header(APPLICATION_JSON).send(JSON.writeValueAsBytes(new Message("Hello, World!"))))
        .post("/echo", (request, response) -> {
          response.header(SERVER);
          request.headers().contentType().ifPresent(type -> response.header(HeaderNames.CONTENT_TYPE, type.text()));
          OptionalLong length = request.headers().contentLength();
          if (length.isPresent()) response.contentLength(length.getAsLong());
          try (InputStream in = request.content().inputStream(); OutputStream out = response.outputStream()) {
            in.transferTo(out);
          }
        });
  }

  public static void main(String[] args) {
    WebServer.builder()
        .host("127.0.0.1")
        .port(Integer.parseInt(args[0]))
        .backlog(4096)
        .connectionOptions(options -> options.tcpNoDelay(true))
        .routing(HelidonServer::route)
        .build()
        .start();
  }
}
