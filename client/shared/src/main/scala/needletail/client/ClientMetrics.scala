package needletail.client

import scala.jdk.CollectionConverters._

import needletail.http.{MetricSource, MetricText}

/**
 * What clients know of the hosts they ask, for a server's `/metrics`:
 *
 * {{{
 *   ServerConfig(metrics = Seq(new ClientMetrics("shop" -> client)))
 * }}}
 * All of a program's clients belong into one such source, each under a name of its own, since a name of a metric may
 * be declared once.
 *
 * @throws java.lang.IllegalArgumentException when two have the same name
 */
final class ClientMetrics(clients: (String, Client)*) extends MetricSource {
  require(clients.map(_._1).distinct.length == clients.length, "each client needs a name of its own")

  def write(out: MetricText): Unit = {
    val hosts = for ((name, client) <- clients; (host, i) <- numbered(client.known))
      yield new Seen(
        host,
        host.statistics,
        Seq("client" -> name, "host" -> (if (i == 0) host.name else s"${host.name} ($i)"))
      )

    def each(value: HostStatistics => Double): Unit =
      hosts.foreach(h => out.sample(value(h.figures), h.labels*))
    def counter(name: String, help: String)(value: HostStatistics => Double): Unit = {
      out.counter(s"needletail_client_${name}_total", help)
      each(value)
    }
    def gauge(name: String, help: String)(value: HostStatistics => Double): Unit = {
      out.gauge(s"needletail_client_$name", help)
      each(value)
    }

    counter("calls", "Calls that were made, each counted once.")(_.calls.toDouble)
    counter("attempts", "Requests handed to a connection or its queue, retries included.")(
      _.attempts.toDouble
    )
    counter("failures", "Attempts without an answer, or with a status from 500 on.")(_.failures.toDouble)
    counter("timeouts", "Attempts that took too long.")(_.timeouts.toDouble)
    counter("retries", "Attempts made again after a failure.")(_.retries.toDouble)
    counter("stale", "Requests sent again as the server had just closed their connection.")(_.stale.toDouble)
    counter("refused", "Calls that the breaker did not let through.")(_.refused.toDouble)
    counter("cancelled", "Attempts given up by who asked.")(_.cancelled.toDouble)
    histogram("queued_seconds", "How long attempts waited for a connection.")(_.queued)
    histogram("transit_seconds", "From an attempt's first octet to the end of its answer.")(_.transit)
    counter("connections_opened", "Connections made.")(_.opened.toDouble)
    gauge("connections", "Open connections, those that are being made included.")(_.open.toDouble)
    gauge("connections_idle", "Open connections without a request.")(_.idle.toDouble)
    gauge("requests_in_flight", "Requests on connections.")(_.inFlight.toDouble)
    gauge("calls_waiting", "Calls that wait for a connection.")(_.waiting.toDouble)
    gauge(
      "breaker_open",
      "1 while the breaker lets nothing through, 0.5 while it tries, 0 when all passes."
    ) {
      _.breaker match {
        case BreakerState.Open     => 1
        case BreakerState.HalfOpen => 0.5
        case BreakerState.Closed   => 0
      }
    }
    gauge("retries_left", "What is saved in the retry budget.")(_.retriesLeft.toDouble)

    def histogram(name: String, help: String)(of: HostCounts => Histogram): Unit = {
      out.histogram(s"needletail_client_$name", help)
      hosts.foreach { h =>
        val total = Histogram.empty
        h.host.counts.asScala.foreach(counts => of(counts).addTo(total))
        out.buckets(
          ClientMetrics.bounds,
          Histogram.coarse(total, ClientMetrics.bounds),
          Histogram.sumSeconds(total),
          h.labels*
        )
      }
    }
  }

  /** Services of one URL are hosts of one name: from the second on they have a number. */
  private def numbered(hosts: Seq[Host]): Seq[(Host, Int)] =
    hosts.zipWithIndex.map { case (host, i) => host -> hosts.take(i).count(_.name == host.name) }

  private final class Seen(val host: Host, val figures: HostStatistics, val labels: Seq[(String, String)])
}

private object ClientMetrics {

  /** Powers of two, from 65 us to 34 s: the buckets of the server's own histograms. */
  val bounds: Seq[Double] = (16 to 35).map(bits => (1L << bits) / 1e9)
}
