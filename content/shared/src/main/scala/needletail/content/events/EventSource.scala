package needletail.content.events

import scala.concurrent.duration._

import needletail.async.Async
import needletail.http.text.Grammar
import needletail.stream.Stream

/** Reading server-sent events. */
object EventSource {

  /** The longest line and event by default. */
  final val Longest = 1024 * 1024

  private val LeastRetry = 100.millis

  /** The events of a response's body. An event that is not complete at the end is dropped. */
  def parse(body: Stream[Array[Byte]], longest: Int = Longest): Stream[Event] =
    parsed(body, new EventParser(longest))

  /**
   * The events of a server, connecting again when a connection ends, with the id of the last event. It ends when
   * `connect` completes with None, and fails when that fails; `connect` decides by the response's status.
   *
   * {{{
   * EventSource() { lastId =>
   *   val call = lastId.foldLeft(prices.get("/events"))(_.header("Last-Event-ID", _))
   *   call.stream.map(response => if (response.status.code == 200) Some(response.body) else None)
   * }
   * }}}
   * A body that fails is the end of a connection. `connect` is given the last id as the value of a field, in UTF-8; one
   * that no field can have, with a control character, is left out.
   *
   * @param retry how long to wait before connecting again, unless the server says otherwise; less than 100 ms it cannot
   *              ask for
   */
  def apply(retry: FiniteDuration = 3.seconds, longest: Int = Longest)(
      connect: Option[String] => Async[Option[Stream[Array[Byte]]]]
  ): Stream[Event] = {
    def from(lastId: Option[String], pause: FiniteDuration): Stream[Event] = Stream.defer(
      connect(lastId.map(Events.encoded).filter(Grammar.isFieldValue)).map {
        case None       => Stream.empty
        case Some(body) =>
          val parser = new EventParser(longest, lastId)
          parsed(body, parser).recoverWith { case scala.util.control.NonFatal(_) => Stream.empty } ++
            Stream.defer {
              val next = parser.retryMillis.fold(pause)(_.millis.max(LeastRetry))
              Async.sleep(next).map(_ => from(parser.lastId, next))
            }
      }
    )
    from(None, retry)
  }

  private def parsed(body: Stream[Array[Byte]], parser: EventParser): Stream[Event] =
    body.flatMap(piece => Stream.from(parser.feed(piece)))
}
