package needletail.client

import needletail.client.policy.BreakerState
import needletail.client.pool.{Host, HostCounts, HostStatistics}
import needletail.metrics.{AtomicHistogram, Histogram, MetricSource, MetricText}

/**
 * The statistics of clients, for a server's `/metrics`:
 *
 * {{{
 *   ServerConfig(metrics = Seq(new ClientMetrics("shop" -> client)))
 * }}}
 * Put all clients of a program into one such source, each with its own name, as a metric may be declared only once.
 *
 * @throws java.lang.IllegalArgumentException if two clients have the same name
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

    counter("calls", "Calls made, each counted once.")(_.calls.toDouble)
    counter("attempts", "Requests given to a connection or its queue, retries included.")(
      _.attempts.toDouble
    )
    counter("failures", "Attempts without a response, or with a status of 500 or more.")(_.failures.toDouble)
    counter("timeouts", "Attempts that exceeded a time limit.")(_.timeouts.toDouble)
    counter("retries", "Attempts repeated after a failure.")(_.retries.toDouble)
    counter(
      "stale",
      "Requests repeated because the server had closed their idle connection."
    )(_.stale.toDouble)
    counter("refused", "Calls rejected by the circuit breaker.")(_.refused.toDouble)
    counter("cancelled", "Attempts cancelled by the caller.")(_.cancelled.toDouble)
    histogram("queued_seconds", "Time that attempts waited for a connection.")(_.queued)
    histogram(
      "transit_seconds",
      "Time from an attempt's first byte sent to the end of its response."
    )(_.transit)
    counter("connections_opened", "Connections established.")(_.opened.toDouble)
    gauge("connections", "Open connections, including those being established.")(_.open.toDouble)
    gauge("connections_idle", "Open connections without a request.")(_.idle.toDouble)
    gauge("requests_in_flight", "Requests on connections.")(_.inFlight.toDouble)
    gauge("calls_waiting", "Calls that wait for a connection.")(_.waiting.toDouble)
    gauge(
      "breaker_open",
      "State of the circuit breaker: 1 open, 0.5 half-open, 0 closed."
    ) {
      _.breaker match {
        case BreakerState.Open     => 1
        case BreakerState.HalfOpen => 0.5
        case BreakerState.Closed   => 0
      }
    }
    gauge("retries_left", "Retries that the retry budget allows now.")(_.retriesLeft.toDouble)

    def histogram(name: String, help: String)(of: HostCounts => AtomicHistogram): Unit = {
      out.histogram(s"needletail_client_$name", help)
      hosts.foreach { h =>
        val total = new Histogram(Histogram.fine)
        h.host.counts.foreach(counts => of(counts).addTo(total))
        total.writeTo(out, h.labels*)
      }
    }
  }

  /** Numbers the hosts of one name, which are services of one URL: 0 for the first. */
  private def numbered(hosts: Seq[Host]): Seq[(Host, Int)] =
    hosts.zipWithIndex.map { case (host, i) => host -> hosts.take(i).count(_.name == host.name) }

  private final class Seen(val host: Host, val figures: HostStatistics, val labels: Seq[(String, String)])
}
