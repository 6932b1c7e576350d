package needletail.client

import scala.concurrent.duration._

import needletail.async.Async
import needletail.client.config.RetryConfig
import needletail.http._
import needletail.io.Address
import needletail.metrics.MetricText
import needletail.server.Operations
import needletail.testing.Suite

/** What a server's `/metrics` say of the clients in its program. */
class ClientMetricsSuite extends Suite with Serving {
  private val handler: Handler = request =>
    if (request.path == "/slow") new Reply.Later(Async.sleep(20.millis).map(_ => Response.ok("slow")))
    else if (request.path == "/broken") Response(Status.InternalServerError)
    else Response.ok("x")

  private def textOf(clients: (String, Client)*): String = {
    val out = new MetricText
    new ClientMetrics(clients*).write(out)
    out.toString
  }

  test("calls, failures, time queued and in transit, connections, the breaker: by client and host") {
    serving(handler, clientConfig.copy(retry = RetryConfig(attempts = 1))) { (server, client) =>
      for (path <- List("/", "/slow", "/broken")) client.get(server.url + path).await()
      eventually(client.statistics.head.idle == 1)
      val lines   = textOf("shop" -> client).linesIterator.toSet
      val labels  = s"""client="shop",host="${server.url}""""
      val present = List(
        s"needletail_client_calls_total{$labels} 3",
        s"needletail_client_attempts_total{$labels} 3",
        s"needletail_client_failures_total{$labels} 1",
        s"needletail_client_timeouts_total{$labels} 0",
        s"needletail_client_queued_seconds_count{$labels} 3",
        s"needletail_client_transit_seconds_count{$labels} 3",
        s"""needletail_client_transit_seconds_bucket{$labels,le="34.359738368"} 3""",
        s"needletail_client_connections{$labels} 1",
        s"needletail_client_connections_idle{$labels} 1",
        s"needletail_client_connections_opened_total{$labels} 1",
        s"needletail_client_requests_in_flight{$labels} 0",
        s"needletail_client_breaker_open{$labels} 0"
      )
      val soon = s"""needletail_client_transit_seconds_bucket{$labels,le="0.016777216"} """
      assert(lines.exists(_.startsWith(soon)) && !lines(s"${soon}3"), "one took 20 ms")
      present.foreach(line => assert(lines(line), s"no $line in ${lines.mkString("\n")}"))
    }
  }

  test("several clients are told apart, and so are services of one URL") {
    serving(handler) { (server, one) =>
      calling() { two =>
        one.get(server.url).await()
        two.service(server.url, server.address).get("/").await()
        two.service(server.url, Address.Tcp("localhost", server.port)).get("/").await()
        val text = textOf("one" -> one, "two" -> two)
        assertEquals(text.linesIterator.count(_.startsWith("# TYPE needletail_client_calls_total ")), 1)
        for ((client, host) <- List("one" -> server.url, "two" -> server.url, "two" -> s"${server.url} (1)"))
          assert(
            text.contains(s"""needletail_client_calls_total{client="$client",host="$host"} 1\n"""),
            text
          )
      }
    }
    calling()(c => intercept[IllegalArgumentException](new ClientMetrics("a" -> c, "a" -> c)))
  }

  test("they stand in a server's metrics behind its own figures") {
    calling() { client =>
      val operations    = new Operations
      val asks: Handler = request => if (request.path == "/metrics") operations.metrics else Response.ok("x")
      val config        =
        serverConfig.copy(operations = Some(operations), metrics = Seq(new ClientMetrics("c" -> client)))
      serving(asks, serverConfig = config) { (server, _) =>
        client.get(server.url).await()
        val text = client.get(s"${server.url}/metrics").await().text
        assert(text.contains("needletail_ready 1\n"), text)
        assert(text.contains(s"""needletail_client_calls_total{client="c",host="${server.url}"} 2\n"""), text)
      }
    }
  }
}
