package needletail.gateway.host

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import needletail.gateway.host.backend.MountCounts
import needletail.metrics.{MetricSource, MetricText}

/**
 * Metrics of CGI, FastCGI and SCGI programs, for a server's `/metrics`:
 *
 * {{{
 *   val programs = new HostMetrics
 *   val routes   = cgi("/cgi-bin", "/srv/cgi-bin", CgiConfig(host = ProgramHostConfig(metrics = Some(programs))))
 *   ServerConfig(metrics = Seq(programs))
 * }}}
 * Any number of `cgi`, `fastcgi` and `scgi` may share one; each stands there by its path (`host`) and `kind`, from the
 * second of the same path and kind on with a number.
 */
final class HostMetrics extends MetricSource {
  private val hosts = new ConcurrentLinkedQueue[MountCounts]

  private[host] def add(counts: MountCounts): Unit = { hosts.add(counts); () }

  def write(out: MetricText): Unit = {
    val all = hosts.asScala.toList
    // those of one name must differ, otherwise none of the metrics can be read
    val labelled = all.zipWithIndex.map { case (counts, i) =>
      val same = all.take(i).count(other => other.name == counts.name && other.kind == counts.kind)
      counts -> Seq(
        "host" -> (if (same == 0) counts.name else s"${counts.name} ($same)"),
        "kind" -> counts.kind
      )
    }
    def each(value: MountCounts => Double): Unit =
      labelled.foreach { case (counts, labels) => out.sample(value(counts), labels: _*) }
    def gauge(name: String, help: String)(value: MountCounts => Double): Unit = {
      out.gauge(s"needletail_host_$name", help)
      each(value)
    }
    def counter(name: String, help: String): Unit = out.counter(s"needletail_host_${name}_total", help)

    gauge("places", "Maximum of concurrent programs, or of requests at servers.")(_.slots.places.toDouble)
    gauge("places_taken", "Programs, or requests at servers, in progress.")(_.slots.inUse.toDouble)
    gauge("requests_waiting", "Requests that wait for a place.")(_.slots.waiting.toDouble)
    counter("requests", "Requests that got a place.")
    each(_.requests)
    counter("refused", "Requests refused with 503, by reason.")
    for ((counts, labels) <- labelled; reason <- MountCounts.reasons.indices)
      out.sample(counts.refusals(reason), labels :+ ("reason" -> MountCounts.reasons(reason)): _*)
    counter("failures", "Requests without a valid response (502), or without one in time (504).")
    for ((counts, labels) <- labelled; (code, value) <- Seq("502" -> counts.broken, "504" -> counts.late))
      out.sample(value, labels :+ ("code" -> code): _*)
    val own = for ((counts, labels) <- labelled; (running, restarts) <- counts.processes())
      yield (labels, running.toDouble, restarts.toDouble)
    out.gauge(
      "needletail_host_processes",
      "Running processes, including those that CGI is starting."
    )
    own.foreach { case (labels, running, _) => out.sample(running, labels: _*) }
    counter("restarts", "Restarts of processes of Workers.")
    own.foreach { case (labels, _, restarts) => out.sample(restarts, labels: _*) }
  }
}
