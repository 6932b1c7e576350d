package needletail.server.operations

import scala.collection.mutable

import needletail.http.Refusal
import needletail.http.admission.RouteClass
import needletail.metrics.MetricText

/** Writes the metrics of a server from the snapshots of its loops. */
private[server] object ServerMetrics {
  def write(
      out: MetricText,
      isReady: Boolean,
      uptimeSeconds: Double,
      accepted: Long,
      maxConnections: Int,
      loops: Seq[LoopSnapshot],
      blocked: Int => Long
  ): Unit = {
    def one(value: Double)              = out.sample(value)
    def sum(f: LoopCounts => Long)      = one(loops.map(loop => f(loop.counts)).sum.toDouble)
    def each(f: LoopSnapshot => Double) =
      loops.foreach(loop => out.sample(f(loop), "loop" -> loop.loop.toString))

    out.gauge("needletail_ready", "1 while the server accepts new work, 0 while it drains.")
    one(if (isReady) 1 else 0)
    out.gauge("needletail_uptime_seconds", "Time since the server started.")
    one(uptimeSeconds)

    out.gauge("needletail_connections", "Open connections, by event loop.")
    each(_.connections.toDouble)
    out.gauge(
      "needletail_connections_max",
      "Maximum number of open connections, beyond which new ones wait in the backlog."
    )
    one(maxConnections.toDouble)
    out.counter("needletail_connections_accepted_total", "Connections accepted.")
    one(accepted.toDouble)
    out.gauge(
      "needletail_upgraded_connections",
      "Open connections handed over to another protocol, by event loop."
    )
    each(_.counts.upgraded.toDouble)
    out.counter("needletail_upgrades_total", "Connections handed over to another protocol.")
    sum(_.upgrades)
    out.counter("needletail_received_bytes_total", "Bytes received.")
    sum(_.bytesRead)
    out.counter("needletail_sent_bytes_total", "Bytes sent.")
    sum(_.bytesWritten)

    routes(out, merged(loops))

    out.counter("needletail_handler_failures_total", "Exceptions of handlers, answered with 500.")
    sum(_.failures)
    out.counter("needletail_timeouts_total", "Heads, bodies, responses and handlers that took too long.")
    sum(_.timeouts)
    out.counter(
      "needletail_abandoned_requests_total",
      "Requests cancelled because their client had closed its sending side."
    )
    sum(_.abandoned)

    out.gauge(
      "needletail_held_bytes",
      "Memory held for clients, by event loop: bodies, unread input, pending output."
    )
    each(_.held.toDouble)
    out.gauge("needletail_held_bytes_max", "Memory that an event loop may hold for clients.")
    each(_.holdsMost.toDouble)
    out.counter(
      "needletail_held_relieved_total",
      "Stalled clients whose memory was reclaimed while it was short."
    )
    sum(_.relieved)

    out.histogram(
      "needletail_loop_lag_seconds",
      "Delay of a timer on an event loop, measured ten times per second."
    )
    loops.foreach(loop => loop.counts.lag.writeTo(out, "loop" -> loop.loop.toString))
    out.counter("needletail_loop_blocked_total", "Turns of an event loop that took longer than blockedLoop.")
    each(loop => blocked(loop.loop).toDouble)
    out.gauge(
      "needletail_loop_overloaded",
      "1 while an event loop is overloaded, so that even bursts are refused."
    )
    each(loop => if (loop.isOverloaded) 1 else 0)
  }

  private def routes(out: MetricText, routes: Seq[RouteSnapshot]): Unit = {
    out.counter(
      "needletail_requests_total",
      "Requests answered, including refused ones, by route and status code."
    )
    for (r <- routes; (status, count) <- r.byStatus.all)
      out.sample(count.toDouble, (labels(r.route) :+ ("code" -> status.toString))*)

    out.histogram(
      "needletail_request_duration_seconds",
      "Time from the head of a request to the end of its response, without refused requests."
    )
    routes.filter(_.latencies.count > 0).foreach(r => r.latencies.writeTo(out, labels(r.route)*))

    out.gauge("needletail_requests_in_flight", "Requests in flight.")
    routes.foreach(r => out.sample(r.inFlight.toDouble, labels(r.route)*))
    out.gauge(
      "needletail_requests_in_flight_max",
      "The adaptive limit of requests in flight, beyond which requests wait."
    )
    routes.filter(_.limit >= 0).foreach(r => out.sample(r.limit.toDouble, labels(r.route)*))

    out.counter("needletail_requests_refused_total", "Requests answered 503 by overload control, by reason.")
    for (r <- routes; i <- r.refused.indices if r.refused(i) > 0)
      out.sample(
        r.refused(i).toDouble,
        (labels(r.route) ++ Seq("priority" -> r.route.priority.name, "reason" -> Refusal.names(i)))*
      )
  }

  private def labels(route: RouteClass): Seq[(String, String)] =
    Seq("method" -> route.method, "route" -> route.template)

  /**
   * Each route once, summed over the loops; routes with the same method and template are one. The snapshots stay as
   * they are: that of a blocked loop is written again.
   */
  private def merged(loops: Seq[LoopSnapshot]): Seq[RouteSnapshot] = {
    val byName = mutable.LinkedHashMap.empty[(String, String), RouteSnapshot]
    for (loop <- loops; r <- loop.routes.reverse) {
      val key = (r.route.method, r.route.template)
      byName.get(key) match {
        case Some(sum) => sum.add(r)
        case None      => byName(key) = r.copied
      }
    }
    byName.values.toSeq
  }
}
