package needletail.content.events

import java.nio.charset.StandardCharsets.{ISO_8859_1, US_ASCII, UTF_8}

import scala.concurrent.duration._

import needletail.http.{ByteStream, Request, Response}
import needletail.stream.Stream

/**
 * Responses of server-sent events (HTML standard, §9.2).
 *
 * {{{
 * GET / "prices" + request to (request => Events(request)(lastId => prices.since(lastId)))
 * }}}
 */
object Events {

  /** The value of Content-Type. */
  val MediaType = "text/event-stream"

  private val comment = ":\n\n".getBytes(US_ASCII)

  /**
   * The events of `events`, which gets the Last-Event-ID of the request, if the client was connected before. The stream
   * ends when the server drains, so that clients connect elsewhere.
   *
   * @param heartbeat how often a comment is sent, by which both sides learn that the connection is still there
   */
  def apply(request: Request, heartbeat: FiniteDuration = 15.seconds)(
      events: Option[String] => Stream[Event]
  ): Response = {
    val rendered: Stream[Array[Byte]] = events(lastId(request)).map(_.render)
    val alive = rendered.merge(Stream.ticks(heartbeat).map(_ => comment), eager = true)
    Response.ok.contentType(MediaType).header("Cache-Control", "no-cache")
      .header("X-Accel-Buffering", "no") // or nginx would collect events before it sends them
      .stream(ByteStream.from(alive).until(request.connection.draining))
  }

  /** Last-Event-ID, which is in UTF-8. */
  def lastId(request: Request): Option[String] =
    request.header("last-event-id").filter(_.nonEmpty).map(decoded)

  /** A text as the value of a field: each of its bytes in UTF-8 as a character. */
  private[events] def encoded(id: String): String = new String(id.getBytes(UTF_8), ISO_8859_1)

  private def decoded(value: String): String = new String(value.getBytes(ISO_8859_1), UTF_8)
}
