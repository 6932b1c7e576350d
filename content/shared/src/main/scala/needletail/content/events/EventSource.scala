package needletail.content.events

import java.io.IOException

import scala.concurrent.duration._

import needletail.async.{Async, Survivable}
import needletail.client.call.Call
import needletail.client.error.ClientError
import needletail.client.error.ClientError.UnexpectedStatus
import needletail.http.message.{Headers, MediaType}
import needletail.http.text.Grammar
import needletail.stream.Stream

/** Reading server-sent events. */
object EventSource {

  /** The longest line and event by default. */
  final val Longest = 1024 * 1024

  private val LeastRetry = 100.millis
  private val MostRetry  = 1.minute

  /**
   * The events of a response's body. An event that is not complete at the end is dropped. One that is longer than
   * `longest` ends them with a java.io.IOException, after those before it.
   */
  def parse(body: Stream[Array[Byte]], longest: Int = Longest): Stream[Event] =
    parsed(body, new EventParser(longest))

  /**
   * The events that `call` responds with, connecting again when a connection ends, with the id of the last event:
   * `EventSource.of(prices.get("/events"))`. A response 204 ends them. Any other status than 200 is a failure; so is a
   * connection that cannot be made. These fail the events if the first call does, or with statuses that say that the
   * request is wrong (4xx but 408, 425 and 429). Otherwise it is called again, as with a server that is being restarted
   * or whose proxy says 502 meanwhile: see `apply`, also for the parameters. A response 200 that has no events, such as
   * the page of a login, fails them with a java.io.IOException.
   */
  def of(call: Call, retry: FiniteDuration = 3.seconds, longest: Int = Longest): Stream[Event] = {
    val asking = call.setHeader("Accept", Events.MediaType)
    apply(retry, longest) { lastId =>
      lastId.foldLeft(asking)(_.setHeader("Last-Event-ID", _)).stream.flatMap { response =>
        response.status.code match {
          case 200 if isEvents(response.headers) => Async.value(Some(response.body))
          case 200                               =>
            response.body.cancel()
            Async.fail(new IOException(s"${call.hostName} does not respond with ${Events.MediaType}"))
          case 204 =>
            response.body.cancel()
            Async.value(None)
          case _ =>
            response.body.cancel()
            Async.fail(new UnexpectedStatus(
              call.hostName,
              response.status,
              response.headers,
              new Array[Byte](0)
            ).of(call.name))
        }
      }
    }
  }

  /**
   * The events of a server, connecting again when a connection ends, with the id of the last event; as `of`, with a
   * function that makes the connection. It ends when `connect` completes with None.
   *
   * It fails if the first call of `connect` does. If a later one fails with a `ClientError`, such as that of a server
   * that is being restarted, it is called again, after twice the time with each failure, up to a minute. Other failures,
   * `ClientError.ClientClosed`, and `UnexpectedStatus` with a status that would not change (4xx but 408, 425 and 429)
   * are those of the events.
   *
   * A body that fails is the end of a connection. An event that is longer than `longest` is not: it ends the events with
   * a java.io.IOException, since the server would send it again after each reconnection.
   *
   * `connect` is given the last id as the value of a field, in UTF-8. An empty one, and one that cannot be sent in a
   * field, because of a control character, is omitted.
   *
   * @param retry how long to wait before reconnecting, unless the server sets another time, which cannot be
   *              less than 100 ms
   */
  def apply(retry: FiniteDuration = 3.seconds, longest: Int = Longest)(
      connect: Option[String] => Async[Option[Stream[Array[Byte]]]]
  ): Stream[Event] = {
    def connected(lastId: Option[String]): Async[Option[Stream[Array[Byte]]]] =
      connect(lastId.map(Events.encoded).filter(id => id.nonEmpty && Grammar.isFieldValue(id)))

    def reconnected(lastId: Option[String], delay: FiniteDuration): Async[Option[Stream[Array[Byte]]]] =
      Async.sleep(delay).flatMap(_ => connected(lastId)).recoverWith {
        case e: ClientError if mayPass(e) =>
          reconnected(lastId, if (delay < MostRetry) (delay * 2).min(MostRetry) else delay)
      }

    var last: EventParser = null // of the connection before
    var pause             = retry
    var isOver            = false

    def nextBody(): Async[Option[Stream[Array[Byte]]]] =
      if (last == null) connected(None)
      else {
        pause = last.retryMillis.fold(pause)(_.millis.max(LeastRetry))
        reconnected(last.lastId, pause)
      }

    def begun(body: Stream[Array[Byte]]): Stream[Event] = {
      last = new EventParser(longest, if (last == null) None else last.lastId)
      parsed(body.recoverWith { case Survivable(_) => Stream.empty }, last)
    }

    // One connection after another, not one inside the other: years of them without an event hold no memory.
    Stream.fromIterator(Iterator.continually(()).takeWhile(_ => !isOver)).flatMap { _ =>
      Stream.defer(nextBody().map {
        case None =>
          isOver = true
          Stream.empty
        case Some(body) => begun(body)
      })
    }
  }

  private def isEvents(headers: Headers): Boolean =
    headers.get("Content-Type").exists(MediaType.essence(_) == Events.MediaType)

  /** Whether the same call may succeed later. */
  private def mayPass(error: ClientError): Boolean = error match {
    case e: UnexpectedStatus         => e.status.code / 100 != 4 || Passing(e.status.code)
    case _: ClientError.ClientClosed => false
    case _                           => true
  }

  private val Passing = Set(408, 425, 429)

  private def parsed(body: Stream[Array[Byte]], parser: EventParser): Stream[Event] =
    body.flatMap { piece =>
      val events = Stream.from(parser.feed(piece))
      if (parser.failure == null) events else events ++ Stream.fail(parser.failure)
    }
}
