import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.microhttp.EventLoop;
import org.microhttp.Handler;
import org.microhttp.Header;
import org.microhttp.LogEntry;
import org.microhttp.Logger;
import org.microhttp.OptionsBuilder;
import org.microhttp.Request;
import org.microhttp.Response;

import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** One event loop for the connections (and microhttp's own thread that accepts). Date and Server are the application's. */
public final class MicrohttpServer implements Handler, Logger {
  private static final byte[] HELLO = "Hello, World!".getBytes(StandardCharsets.US_ASCII);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final DateTimeFormatter DATE_FORMAT = DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH);

  private long dateSecond;
  private Header date;

  record Message(String message) {}

  @Override
  public void handle(Request request, Consumer<Response> answer) {
    try {
      switch (request.uri()) {
        case "/plaintext" -> answer.accept(ok("text/plain", HELLO));
        case "/json" -> answer.accept(ok("application/json", JSON.writeValueAsBytes(new Message("Hello, World!"))));
        case "/echo" -> answer.accept(ok("application/octet-stream", request.body()));
        default -> answer.accept(new Response(404, "Not Found", List.of(), new byte[0]));
      }
    } catch (JsonProcessingException reason) {
      answer.accept(new Response(500, "Internal Server Error", List.of(), new byte[0]));
    }
  }

  private Response ok(String type, byte[] body) {
    long second = System.currentTimeMillis() / 1000;
    if (second != dateSecond) {
      date = new Header("Date", DATE_FORMAT.format(ZonedDateTime.now(ZoneOffset.UTC)));
      dateSecond = second;
    }
    return new Response(200, "OK", List.of(new Header("Content-Type", type), date, new Header("Server", "microhttp")), body);
  }

  @Override
  public boolean enabled() {
    return false;
  }

  @Override
  public void log(LogEntry... entries) {}

  @Override
  public void log(Exception reason, LogEntry... entries) {}

  public static void main(String[] args) throws Exception {
    MicrohttpServer server = new MicrohttpServer();
    EventLoop loop = new EventLoop(
        OptionsBuilder.newBuilder()
            .withHost("127.0.0.1")
            .withPort(Integer.parseInt(args[0]))
            .withConcurrency(1)
            .withAcceptLength(4096)
            .withMaxRequestSize(64 << 20)
            .build(),
        server,
        server);
    loop.start();
    loop.join();
  }
}
