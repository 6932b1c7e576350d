import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.eclipse.jetty.client.BufferingResponseListener;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.client.StringRequestContent;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * The online store as asynchronous servlets on Jetty: {@code startAsync}, and Jetty's own asynchronous client with a
 * timeout of one second for searches and three for payments.
 *
 * <pre>AsyncStore PORT SEARCH PAYMENT</pre>
 */
public final class AsyncStore {
  private static final ObjectMapper JSON = new ObjectMapper();

  public static void main(String[] arguments) throws Exception {
    Server server = new Server(new QueuedThreadPool(200, 8));
    ServerConnector connector = new ServerConnector(server, 1, 1);
    connector.setHost("127.0.0.1");
    connector.setPort(Integer.parseInt(arguments[0]));
    connector.setAcceptQueueSize(1000);
    server.addConnector(connector);

    ServletContextHandler context = new ServletContextHandler();
    context.addServlet(new Index(), "");
    context.addServlet(new Search(client(), arguments[1]), "/search");
    context.addServlet(new Payments(client(), arguments[2]), "/payments");
    server.setHandler(context);
    server.start();
    server.join();
  }

  /** A client of one service. */
  private static HttpClient client() throws Exception {
    HttpClient client = new HttpClient();
    client.setMaxConnectionsPerDestination(256);
    client.setMaxRequestsQueuedPerDestination(10000);
    client.setConnectTimeout(1000);
    client.start();
    return client;
  }

  /** Makes the customer's text of a service's answer. */
  private interface Reader {
    String read(String body) throws IOException;
  }

  private static void ask(Request request, int seconds, String name, HttpServletRequest asked, Reader reader) {
    AsyncContext waiting = asked.startAsync();
    waiting.setTimeout(0); // the client's timeout ends it
    request.timeout(seconds, TimeUnit.SECONDS).send(new BufferingResponseListener() {
      @Override public void onComplete(Result result) {
        HttpServletResponse response = (HttpServletResponse) waiting.getResponse();
        try {
          if (result.isSucceeded() && result.getResponse().getStatus() == 200)
            write(response, 200, reader.read(getContentAsString()));
          else
            write(response, result.getFailure() instanceof TimeoutException ? 504 : 502, "The " + name + " service failed.\n");
        } catch (IOException e) {
          response.setStatus(502);
        } finally {
          waiting.complete();
        }
      }
    });
  }

  private static void write(HttpServletResponse response, int status, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    response.setStatus(status);
    response.setContentType("text/plain; charset=utf-8");
    response.setContentLength(bytes.length);
    response.getOutputStream().write(bytes);
  }

  private static final class Index extends HttpServlet {
    @Override protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
      write(response, 200, "Welcome to our website.");
    }
  }

  private static final class Search extends HttpServlet {
    private final HttpClient client;
    private final String service;

    Search(HttpClient client, String service) {
      this.client = client;
      this.service = service;
    }

    @Override protected void doGet(HttpServletRequest request, HttpServletResponse response) {
      String query = URLEncoder.encode(request.getParameter("query"), StandardCharsets.UTF_8);
      ask(client.newRequest(service + "/search?query=" + query), 1, "search", request, body -> {
        List<String> found = JSON.readTree(body).get("results").findValuesAsText("description");
        return "Found results: " + String.join(", ", found) + ".\n";
      });
    }
  }

  private static final class Payments extends HttpServlet {
    private final HttpClient client;
    private final String service;

    Payments(HttpClient client, String service) {
      this.client = client;
      this.service = service;
    }

    @Override protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
      Map<String, Long> order = Map.of("amount", Long.parseLong(request.getParameter("amount")));
      Request payment = client.POST(service + "/payments")
          .body(new StringRequestContent("application/json", JSON.writeValueAsString(order)));
      ask(payment, 3, "payment", request, body -> "Payment processed.\n");
    }
  }
}
