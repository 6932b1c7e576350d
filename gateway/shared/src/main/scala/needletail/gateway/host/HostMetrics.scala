package needletail.gateway.host

import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.atomic.LongAdder

import scala.jdk.CollectionConverters._

import needletail.http.{HttpError, MetricSource, MetricText, Status}

/**
 * What the hosts of programs know of them, for a server's `/metrics`:
 *
 * {{{
 *   val programs = new HostMetrics
 *   val routes   = cgi("/cgi-bin", "/srv/cgi-bin", CgiConfig(host = HostConfig(metrics = Some(programs))))
 *   ServerConfig(metrics = Seq(programs))
 * }}}
 * Any number of `cgi`, `fastcgi` and `scgi` may share one; each stands there by its path (`host`) and `kind`, from the
 * second of the same path and kind on with a number.
 */
final class HostMetrics extends MetricSource {
  private val hosts = new CopyOnWriteArrayList[HostCounts]

  private[host] def add(counts: HostCounts): Unit = { hosts.add(counts); () }

  def write(out: MetricText): Unit = {
    val all = hosts.asScala.toList
    // those of one name must differ, or none of the figures can be read
    val labelled = all.zipWithIndex.map { case (counts, i) =>
      val same = all.take(i).count(other => other.name == counts.name && other.kind == counts.kind)
      counts -> Seq(
        "host" -> (if (same == 0) counts.name else s"${counts.name} ($same)"),
        "kind" -> counts.kind
      )
    }
    def each(value: HostCounts => Double): Unit =
      labelled.foreach { case (counts, labels) => out.sample(value(counts), labels: _*) }
    def gauge(name: String, help: String)(value: HostCounts => Double): Unit = {
      out.gauge(s"needletail_host_$name", help)
      each(value)
    }
    def counter(name: String, help: String): Unit = out.counter(s"needletail_host_${name}_total", help)

    gauge("places", "Programs, or requests at servers, that there may be at once.")(_.slots.places.toDouble)
    gauge("places_taken", "Programs, or requests at servers, that there are.")(_.slots.inUse.toDouble)
    gauge("requests_waiting", "Requests that wait for a place.")(_.slots.waiting.toDouble)
    counter("requests", "Requests that got a place.")
    each(_.requests)
    counter("refused", "Requests answered 503 for want of a place, by reason.")
    for ((counts, labels) <- labelled; reason <- HostCounts.reasons.indices)
      out.sample(counts.refusals(reason), labels :+ ("reason" -> HostCounts.reasons(reason)): _*)
    counter("failures", "Requests answered 502, as there was no answer, or 504, as it took too long.")
    for ((counts, labels) <- labelled; (code, value) <- Seq("502" -> counts.broken, "504" -> counts.late))
      out.sample(value, labels :+ ("code" -> code): _*)
    val own = for ((counts, labels) <- labelled; (running, restarts) <- counts.processes())
      yield (labels, running.toDouble, restarts.toDouble)
    out.gauge(
      "needletail_host_processes",
      "Processes that run, those that are being started by CGI included."
    )
    own.foreach { case (labels, running, _) => out.sample(running, labels: _*) }
    counter("restarts", "Processes of Workers that were started anew.")
    own.foreach { case (labels, _, restarts) => out.sample(restarts, labels: _*) }
  }
}

/**
 * What one mounted host counts, on any thread.
 *
 * @param processes those of ours that run, and how often one was started anew
 */
private[host] final class HostCounts(
    mount: Mount,
    val kind: String,
    val slots: Slots,
    val processes: () => Option[(Int, Int)]
) {
  val name: String = if (mount.name.isEmpty) "/" else mount.name

  private val entered   = new LongAdder
  private val byReason  = Array.fill(HostCounts.reasons.length)(new LongAdder)
  private val gateway   = new LongAdder
  private val timedOuts = new LongAdder

  def requests: Double              = entered.sum.toDouble
  def refusals(reason: Int): Double = byReason(reason).sum.toDouble
  def broken: Double                = gateway.sum.toDouble
  def late: Double                  = timedOuts.sum.toDouble

  def begun(): Unit              = entered.increment()
  def refused(reason: Int): Unit = byReason(reason).increment()

  /** One had no answer, or none in time; other failures are the client's. */
  def failed(cause: Throwable): Unit = cause match {
    case e: HttpError if e.status eq Status.BadGateway         => gateway.increment()
    case e: HttpError if e.status eq Status.GatewayTimeout     => timedOuts.increment()
    case e: HttpError if e.status eq Status.ServiceUnavailable => refused(HostCounts.Overloaded)
    case _                                                     => ()
  }
}

private[host] object HostCounts {

  // Why a request was refused
  final val QueueFull  = 0 // as many wait as may
  final val QueueTime  = 1 // it has waited for too long
  final val System     = 2 // the system has no process, memory or descriptor for another program
  final val Overloaded = 3 // the server that was asked says that it is

  val reasons: Array[String] = Array("queue_full", "queue_timeout", "system", "overloaded")
}
