import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardVirtualThreadExecutor;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.AbstractProtocol;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.StringEntity;

/**
 * The online store as plain servlets on an embedded Tomcat, with Apache HttpClient and Jackson.
 *
 * <pre>ServletStore blocking|virtual PORT SEARCH PAYMENT</pre>
 *
 * {@code blocking} is the store that the article measured: NIO connector, 10,000 connections, 200 threads, an HTTP
 * client without timeouts. {@code virtual} is what one would write today with the same servlets: a virtual thread for
 * each request, timeouts towards both services, and a pool of connections for each of them.
 */
public final class ServletStore {
  private static final ObjectMapper JSON = new ObjectMapper();

  public static void main(String[] arguments) throws Exception {
    boolean virtual = arguments[0].equals("virtual");
    int port = Integer.parseInt(arguments[1]);
    String search = arguments[2];
    String payment = arguments[3];

    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(Files.createTempDirectory("servlet-store").toString());
    Connector connector = new Connector("org.apache.coyote.http11.Http11NioProtocol");
    connector.setProperty("address", "127.0.0.1");
    connector.setPort(port);
    connector.setProperty("maxConnections", "10000");
    connector.setProperty("acceptCount", "1000");
    connector.setProperty("maxKeepAliveRequests", "-1");
    if (virtual) {
      StandardVirtualThreadExecutor executor = new StandardVirtualThreadExecutor();
      executor.setName("virtual");
      executor.start();
      ((AbstractProtocol<?>) connector.getProtocolHandler()).setExecutor(executor);
    } else {
      connector.setProperty("maxThreads", "200");
    }
    tomcat.setConnector(connector);

    var context = tomcat.addContext("", null);
    Services services = new Services(virtual);
    serve(tomcat, context, "index", "", new Index());
    serve(tomcat, context, "search", "/search", new Search(services.client(1), search));
    serve(tomcat, context, "payments", "/payments", new Payments(services.client(3), payment));
    tomcat.start();
    tomcat.getServer().await();
  }

  private static void serve(Tomcat tomcat, org.apache.catalina.Context context, String name, String pattern, HttpServlet servlet) {
    Tomcat.addServlet(context, name, servlet);
    context.addServletMappingDecoded(pattern, name);
  }

  /** Makes the client of a service. */
  private record Services(boolean withTimeouts) {
    CloseableHttpClient client(int seconds) {
      var connections = PoolingHttpClientConnectionManagerBuilder.create().setMaxConnTotal(10000).setMaxConnPerRoute(10000);
      var requests = RequestConfig.custom();
      if (withTimeouts) {
        connections.setMaxConnPerRoute(256).setDefaultConnectionConfig(ConnectionConfig.custom()
            .setConnectTimeout(1, TimeUnit.SECONDS).setSocketTimeout(seconds, TimeUnit.SECONDS).build());
        requests.setConnectionRequestTimeout(250, TimeUnit.MILLISECONDS).setResponseTimeout(seconds, TimeUnit.SECONDS);
      } else {
        connections.setDefaultConnectionConfig(ConnectionConfig.custom()
            .setConnectTimeout(0, TimeUnit.SECONDS).setSocketTimeout(0, TimeUnit.SECONDS).build());
        requests.setConnectionRequestTimeout(0, TimeUnit.SECONDS).setResponseTimeout(0, TimeUnit.SECONDS);
      }
      return HttpClients.custom().setConnectionManager(connections.build()).setDefaultRequestConfig(requests.build())
          .disableAutomaticRetries().build();
    }
  }

  /** Makes the customer's text of a service's answer. */
  private interface Reader {
    String read(String body) throws IOException;
  }

  /** A servlet that asks a service. */
  private abstract static class Asking extends HttpServlet {
    private final CloseableHttpClient client;
    private final String name;

    Asking(CloseableHttpClient client, String name) {
      this.client = client;
      this.name = name;
    }

    /** Answers what {@code text} makes of the service's answer, or an error. */
    void ask(HttpUriRequestBase request, HttpServletResponse response, Reader text) throws IOException {
      String answer;
      int status;
      try {
        answer = client.execute(request, came -> {
          String body = EntityUtils.toString(came.getEntity());
          return came.getCode() == 200 ? text.read(body) : null;
        });
        status = answer == null ? 502 : 200;
      } catch (java.io.InterruptedIOException e) {
        answer = null;
        status = 504;
      } catch (IOException e) {
        answer = null;
        status = 502;
      }
      write(response, status, answer == null ? "The " + name + " service failed.\n" : answer);
    }
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

  private static final class Search extends Asking {
    private final String service;

    Search(CloseableHttpClient client, String service) {
      super(client, "search");
      this.service = service;
    }

    @Override protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
      String query = java.net.URLEncoder.encode(request.getParameter("query"), StandardCharsets.UTF_8);
      ask(new HttpGet(service + "/search?query=" + query), response, body -> {
        List<String> found = JSON.readTree(body).get("results").findValuesAsText("description");
        return "Found results: " + String.join(", ", found) + ".\n";
      });
    }
  }

  private static final class Payments extends Asking {
    private final String service;

    Payments(CloseableHttpClient client, String service) {
      super(client, "payment");
      this.service = service;
    }

    @Override protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
      HttpPost post = new HttpPost(service + "/payments");
      Map<String, Long> order = Map.of("amount", Long.parseLong(request.getParameter("amount")));
      post.setEntity(new StringEntity(JSON.writeValueAsString(order), ContentType.APPLICATION_JSON));
      ask(post, response, body -> "Payment processed.\n");
    }
  }
}
