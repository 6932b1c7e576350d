package needletail.examples.demo

import scala.concurrent.duration._

import needletail.async.Async
import needletail.content.{Event, Events}
import needletail.json.Json
import needletail.routing._
import needletail.stream.Stream

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

  /** First all remembered readings, then new ones, until the store drains. */
  private def events(request: Request): Response = {
    val first = Json.obj("controls" -> controls(), "most" -> DemoControls.MostCustomers)
    val hello = Event(first.toString, name = "hello", retryMillis = Some(1000))
    Events(request)(_ => Stream(hello) ++ Stream.unfold(0L)(fresh).flatMap(Stream.from(_)))
  }

  /** The readings after that number, as soon as there are some. */
  private def fresh(sent: Long): Async[Option[(Seq[Event], Long)]] =
    monitor.after(sent) match {
      case Seq()    => Async.sleep(Live.Look).flatMap(_ => fresh(sent))
      case readings => Async.value(Some((readings.map(s => Event(s.json.toString)), readings.last.number)))
    }
}

object Live {
  private[demo] final val Name = "live"
  final val Path               = "/live"

  /** How often a stream checks for new readings. */
  private val Look = 50.millis
}
