package needletail.examples.demo

import java.nio.charset.StandardCharsets.UTF_8

import scala.concurrent.duration._

import needletail.async.Async
import needletail.json.Json
import needletail.routing._

/**
 * The live page, and the events that it shows (HTML standard, server-sent events).
 *
 * @param controls where the page's switches are served, once that is known
 */
final class Live(monitor: Monitor, controls: () => String) {

  /** Not limited: it waits on purpose, and is needed most under overload. */
  val routes: Routes = Routes(
    GET / Live.Name to page,
    (GET / Live.Name / "events" + request) to (events(_))
  ).withoutAdaptiveLimit.priority(Priority.Critical)

  private def page: Response =
    Response.ok
      .contentType("text/html; charset=utf-8")
      .header("Cache-Control", "no-store")
      .header("X-Content-Type-Options", "nosniff")
      .header(
        "Content-Security-Policy",
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; " +
          s"form-action 'none'; frame-ancestors 'none'; connect-src 'self' ${controls()}"
      )
      .text(LivePage.html)

  /** Until the store drains, as nothing else would end it. */
  private def events(request: Request): Response =
    Response.ok
      .contentType("text/event-stream")
      .header("Cache-Control", "no-store")
      .stream(new Events().until(request.connection.draining))

  /** First all remembered readings, then new ones. */
  private final class Events extends ByteStream {
    private var sent = -1L
    private var over = false

    def next(): Async[Option[Array[Byte]]] =
      if (over) Async.value(None)
      else if (sent < 0) {
        sent = 0
        val first = Json.obj("controls" -> controls(), "most" -> Situation.MostCustomers)
        Async.value(Some(s"retry: 1000\nevent: hello\ndata: $first\n\n".getBytes(UTF_8)))
      } else
        monitor.after(sent) match {
          case Seq() => Async.sleep(Live.Look).flatMap(_ => next())
          case fresh =>
            sent = fresh.last.number
            Async.value(Some(fresh.map(s => s"data: ${s.json}\n\n").mkString.getBytes(UTF_8)))
        }

    def cancel(): Unit = over = true
  }
}

object Live {
  private[demo] final val Name = "live"
  final val Path               = "/live"

  /** How often a stream checks for new readings. */
  private val Look = 50.millis
}
