package needletail.gateway.host

import scala.concurrent.duration._

import needletail.metrics.MetricText
import needletail.server.ServerConfig

/** What `/metrics` says of programs; how it is counted is where it happens: [[CgiEndThreatSuite]] for one. */
class HostMetricsSuite extends Hosted {
  private def text(metrics: HostMetrics): String = {
    val out = new MetricText
    metrics.write(out)
    out.toString
  }

  test("several hosts share one, each by its path and kind, those of one name by a number") {
    val metrics = new HostMetrics
    val config  = hostConfig.copy(metrics = Some(metrics))
    val nobody  = needletail.io.Address.Unix("/nobody")
    cgi("/cgi-bin", directory.toString, CgiConfig(host = config, processes = 3))
    scgi("/", nobody, UpstreamConfig(host = config, connections = 5))
    fastcgi("/", nobody, UpstreamConfig(host = config))
    fastcgi("/", nobody, UpstreamConfig(host = config))
    val lines = text(metrics).linesIterator.filter(_.startsWith("needletail_host_places{")).toList
    assertEquals(
      lines,
      List(
        "needletail_host_places{host=\"/cgi-bin\",kind=\"cgi\"} 3",
        "needletail_host_places{host=\"/\",kind=\"scgi\"} 5",
        "needletail_host_places{host=\"/\",kind=\"fastcgi\"} 32",
        "needletail_host_places{host=\"/ (1)\",kind=\"fastcgi\"} 32"
      )
    )
  }

  test("it needs no host") {
    assert(text(new HostMetrics).contains("# TYPE needletail_host_refused_total counter\n"))
  }

  test("a server's metrics have them: what could not be reached, what took too long, and who said no") {
    val metrics  = new HostMetrics
    val config   = UpstreamConfig(host = hostConfig.copy(metrics = Some(metrics), timeout = 1500.millis))
    val scripted = new ScriptedServer({ c =>
      val asked = c.request()
      c.content()
      if (asked.parameters("PATH_INFO") == "/full")
        c.end(asked.id, needletail.gateway.format.fastcgi.FastCgiRecord.Overloaded)
      else if (asked.parameters("PATH_INFO") == "/slow") c.untilClosed()
    })
    try {
      val operations = new needletail.server.Operations
      val routes     = fastcgi("/app", scripted.address, config) ++
        needletail.routing.Routes(needletail.routing.GET / "metrics" to operations.metrics)
      serving(
        routes,
        ServerConfig(
          address = needletail.io.Address.Tcp("127.0.0.1", 0),
          loops = 1,
          log = log,
          metrics = Seq(metrics),
          operations = Some(operations)
        )
      ) { server =>
        assertEquals(
          List("/full", "/slow", "/lost").map(p => get(server, s"/app$p").status),
          List(503, 504, 502)
        )
        val shown  = get(server, "/metrics").body
        val labels = "host=\"/app\",kind=\"fastcgi\""
        for (
          line <- List(
            s"needletail_host_refused_total{$labels,reason=\"overloaded\"} 1",
            s"needletail_host_failures_total{$labels,code=\"502\"} 1",
            s"needletail_host_failures_total{$labels,code=\"504\"} 1",
            s"needletail_host_requests_total{$labels} 3"
          )
        ) assert(shown.contains(line + "\n"), s"no $line in $shown")
        assert(!shown.contains("needletail_host_processes{"), "it has none of its own")
      }
    } finally scripted.close()
  }
}
