package needletail.gateway.host

import scala.util.{Failure, Success, Try}

import needletail.async.{Async, Loop, Promise, Timer}
import needletail.gateway.CgiResponseParser
import needletail.http._

/**
 * One request to a program: its content goes in while its answer comes out, neither waiting for the other.
 *
 * @param expired called when it is ended because it took too long
 * @param over called once, when nothing more will be asked of the backend; whether it answered to the end
 */
private[host] final class Conversation(
    asked: Asked,
    backend: Backend,
    config: HostConfig,
    expired: () => Unit = () => ()
)(over: Boolean => Unit) {
  import asked.{content, isHead, limit, what}

  private val loop   = Loop.current
  private val parser = new CgiResponseParser(config.maxHead)
  private val head   = new ByteWriter(1024)
  private val answer = new Promise[Conversation.Answer]

  private var finished             = false
  private var feeding: Async[Unit] = null
  private var awaitsClient         = false
  private var awaitsProgram        = false // for output that somebody wants
  private var progress             = Loop.nanoTime()
  private val began                = progress
  private var timer: Timer         = null
  private var brokenBy: Throwable  = null  // why the stream ended, where it was not the program
  private var rest: Array[Byte]    = null  // what came behind the head
  private var isPeaceful           = false // the answer has no content for the client
  private var discarding           = false
  private var left                 = -1L   // of what Content-Length announced

  private val headNanos: Long = {
    val own = config.timeout.toNanos
    // A little before the server would answer in our place
    limit.timeLeft.fold(own)(time => math.min(own, math.max(1L, time.toNanos * 19 / 20)))
  }

  /** Begins; complete when the head of the answer is there. Cancelling it ends the program. */
  def begin(): Async[Conversation.Answer] = {
    answer.onCancel(() => close(complete = false))
    timer = loop.schedule(math.min(headNanos, config.maxTime.toNanos), () => look())
    if (content.stream == null) backend.endInput() else feeding = feed()
    readHead()
    answer
  }

  // What goes in

  private def feed(): Async[Unit] = {
    awaitsClient = true
    content.stream.next().transform { result =>
      awaitsClient = false
      if (finished) Async.unit
      else {
        progressed()
        result match {
          case Success(Some(piece)) =>
            backend.write(piece).transform {
              case Success(_) if !finished =>
                progressed()
                feed()
              case _ => Async.unit // it reads no more; what it answers counts
            }
          case Success(None) =>
            backend.endInput()
            Async.unit
          case Failure(e) => // the client's fault
            fail(e)
            Async.unit
        }
      }
    }
  }

  // What comes out. Loops end in `transform`, so that many small pieces need no stack.

  /** The next piece that the program gives; `f` is not called once nothing matters any more. */
  private def read[A](f: Try[Option[Array[Byte]]] => Async[A], instead: => Async[A]): Async[A] = {
    awaitsProgram = true
    progressed()
    backend.output.next().transform { result =>
      awaitsProgram = false
      if (finished) instead
      else {
        progressed()
        f(result)
      }
    }
  }

  private def readHead(): Async[Unit] = read(
    {
      case Success(Some(piece)) =>
        head.write(piece)
        parser.parse(head.bytes, 0, head.length) match {
          case CgiResponseParser.More => readHead()
          case CgiResponseParser.Bad  => misbehaved(parser.error)
          case length                 => answered(length)
        }
      case Success(None) =>
        misbehaved(
          if (head.length == 0) "it ended without an answer" else "it ended within the head of its answer"
        )
      case Failure(e: HttpError) =>
        fail(e)
        Async.unit
      case Failure(e) => misbehaved(String.valueOf(e.getMessage))
    },
    Async.unit
  )

  private def misbehaved(why: String): Async[Unit] = {
    config.log.warn(s"$what: $why")
    fail(Conversation.badGateway)
    Async.unit
  }

  private def answered(length: Int): Async[Unit] = {
    if (length < head.length) rest = java.util.Arrays.copyOfRange(head.bytes, length, head.length)
    if (parser.localRedirect != null) {
      val path = parser.localRedirect
      discard().map(_ => { answer.succeed(Conversation.Redirect(path)); () })
    } else
      response match {
        case Left(why)       => misbehaved(why)
        case Right(response) =>
          isPeaceful = isHead || !response.status.allowsBody
          answer.succeed(Conversation.Final(response))
          Async.unit
      }
  }

  private def response: Either[String, Response] = {
    val status = Status(parser.status)
    val length = parser.headers.getAll("Content-Length").distinct match {
      case Nil       => Right(-1L)
      case List(one) => Conversation.length(one).toRight("the Content-Length of its answer is none")
      case _         => Left("its answer has several Content-Lengths")
    }
    length.map { length =>
      left = length
      val named   = parser.headers.list("Connection").map(Ascii.lower)
      val headers = parser.headers.toList.filterNot { case (name, _) =>
        val lower = Ascii.lower(name)
        Conversation.notPassedOn(lower) || named.contains(lower)
      }
      val base = Response(status).withHeaders(Headers(headers*))
      if (length >= 0) base.stream(stream, length) else base.stream(stream)
    }
  }

  private val stream: ByteStream = new ByteStream {
    def next(): Async[Option[Array[Byte]]] =
      if (finished) ended
      else if (left == 0) {
        discard()
        Async.value(None)
      } else if (rest != null) {
        val piece = rest
        rest = null
        Async.value(cut(piece))
      } else
        read(
          {
            case Success(Some(piece)) => Async.value(cut(piece))
            case Success(None)        =>
              close(complete = true)
              Async.value(None)
            case Failure(e) =>
              close(complete = false)
              Async.fail(e)
          },
          ended
        )

    /** An answer without content is cut off by the server, not by a client that has gone: the program ends in peace. */
    def cancel(): Unit = if (!discarding) if (isPeaceful) { discard(); () }
    else close(complete = false)
  }

  private def ended: Async[Option[Array[Byte]]] =
    if (brokenBy != null) Async.fail(brokenBy) else Async.value(None)

  private def cut(piece: Array[Byte]): Option[Array[Byte]] =
    if (left < 0) Some(piece)
    else if (piece.length <= left) {
      left -= piece.length
      Some(piece)
    } else {
      val kept = java.util.Arrays.copyOf(piece, left.toInt)
      left = 0
      Some(kept)
    }

  /** All that matters has come: the rest is read to its end, within the same time-outs, and dropped. */
  private def discard(): Async[Unit] = {
    discarding = true
    if (finished) Async.unit
    else
      read(
        {
          case Success(Some(_)) => discard()
          case result           =>
            close(complete = result.isSuccess)
            Async.unit
        },
        Async.unit
      )
  }

  // Time

  private def progressed(): Unit = progress = Loop.nanoTime()

  /** A client that sends or takes nothing is the server's business; here it is the program that is waited for. */
  private def look(): Unit = if (!finished) {
    val now     = Loop.nanoTime()
    val stalled = headOrStreamNanos - (now - progress)
    val whole   = config.maxTime.toNanos - (now - began)
    val isIdle  = !awaitsProgram || awaitsClient
    if (whole <= 0 || (stalled <= 0 && !isIdle)) tooLong()
    else {
      if (isIdle) progress = now
      timer = loop.schedule(math.min(if (isIdle) headOrStreamNanos else stalled, whole), () => look())
    }
  }

  private def headOrStreamNanos: Long = if (answer.isCompleted) config.timeout.toNanos else headNanos

  private def tooLong(): Unit = {
    config.log.warn(s"$what: it took too long and was ended")
    brokenBy = Conversation.tooSlow
    expired()
    fail(Conversation.tooSlow)
  }

  // The end

  private def fail(e: Throwable): Unit = if (!finished) {
    if (brokenBy == null) brokenBy = e
    close(complete = false)
    answer.fail(e)
    ()
  }

  private def close(complete: Boolean): Unit = if (!finished) {
    finished = true
    if (timer != null) timer.cancel()
    if (feeding != null) feeding.cancel()
    content.close()
    if (!complete) backend.stop() else backend.endInput()
    over(complete)
  }
}

private[host] object Conversation {
  sealed abstract class Answer
  final case class Final(response: Response) extends Answer

  /** To be answered by whoever answers that path, RFC 3875 section 6.2.2. */
  final case class Redirect(path: String) extends Answer

  val badGateway: HttpError = HttpError(Status.BadGateway, "bad gateway")
  val tooSlow: HttpError    = HttpError(Status.GatewayTimeout, "gateway time-out")

  /** The server frames its replies itself (RFC 9110 section 7.6.1) and has its own Date. */
  val notPassedOn: Set[String] = Set(
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "upgrade",
    "date"
  )

  def length(text: String): Option[Long] =
    if (text.nonEmpty && text.length <= 18 && text.forall(c => c >= '0' && c <= '9')) Some(text.toLong)
    else None

}
