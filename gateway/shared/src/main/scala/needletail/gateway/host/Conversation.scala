package needletail.gateway.host

import java.io.IOException

import scala.util.{Failure, Success, Try}

import needletail.async.{Async, AsyncPromise, Survivable}
import needletail.gateway.format.cgi.CgiResponseParser
import needletail.gateway.host.backend.Backend
import needletail.gateway.host.incoming.ProgramRequest
import needletail.gateway.host.upstream.PeerLost
import needletail.http.{ByteStream, Response}
import needletail.http.http1.ContentDecoder
import needletail.http.message.{Headers, HopByHop, HttpError, Status}
import needletail.http.text.ByteWriter

/**
 * One request to a program: its content is written while its output is read, neither waiting for the other. To be used
 * on the request's loop.
 *
 * The server reads no more of a request's content once the response is complete. So the end of a response waits for the
 * program to read its content, as long as it has not ended its output; and a program whose content is cut off all the
 * same is ended, and never sees an end of its input.
 *
 * It owns the request's content from its construction on, and closes it when it ends. If it may never begin,
 * `abandon` has to be called.
 */
private[host] final class Conversation(val request: ProgramRequest, config: ProgramHostConfig)
    extends Patience.Owner {
  import request.{content, isHead, what}

  private val answer   = new AsyncPromise[Conversation.Answer]
  private val framed   = new ContentDecoder(0, 0) // programs' content is never chunked
  private val patience = new Patience(request, config, this)

  // Set by `begin`
  private var backend: Backend          = null
  private var onTimeout: () => Unit     = null
  private var onEnd: Boolean => Unit    = null
  private var parser: CgiResponseParser = null
  private var head: ByteWriter          = null

  private var finished                 = false
  private var feeding: Async[Unit]     = null
  private var fed                      = 0L                     // bytes of content that were passed on
  private var isFed                    = content.stream == null // whether that was all, or no more is read
  private var held: AsyncPromise[Unit] = null                   // what waits for `isFed`
  private var brokenBy: Throwable    = null  // why the stream ended before the end of the output
  private var afterHead: Array[Byte] = null  // content that arrived with the head
  private var last: Array[Byte]      = null  // the end of the content, while it waits for `isFed`
  private var isBodiless             = false // whether the client gets no content

  /**
   * Begins; to be called once. Completes when the head of the response has arrived. Cancelling it ends the program. If
   * this throws, it has ended.
   *
   * @param onTimeout called when it is ended as the program made no progress for `timeout` while it was waited for
   * @param onEnd called once, when the backend is not used any more; whether its response was complete
   */
  def begin(backend: Backend, onTimeout: () => Unit = () => ())(
      onEnd: Boolean => Unit
  ): Async[Conversation.Answer] = {
    this.backend = backend
    this.onTimeout = onTimeout
    this.onEnd = onEnd
    parser = new CgiResponseParser(config.maxHead)
    head = new ByteWriter(1024)
    answer.onCancel(() => close(complete = false))
    try {
      patience.begin(backend)
      if (content.stream == null) backend.endInput()
      else feeding = feed().recoverWith { case e => cutInput(e) } // or nobody would see what is thrown within
      readHead()
    } catch {
      case e: Throwable => // nobody else would end the program, and return its place
        close(complete = false)
        throw e
    }
    answer
  }

  /** Closes the content if this has not begun; otherwise does nothing, as its end does that. */
  def abandon(): Unit = if (backend == null) content.close()

  // Content of the request

  private def feed(): Async[Unit] = {
    patience.awaitsClient = true
    nextContent().transform { result =>
      patience.awaitsClient = false
      if (finished) Async.unit
      else {
        patience.inputProgressed()
        result match {
          case Success(Some(piece)) =>
            fed += piece.length
            val written = backend.write(piece)
            patience.inputProgressed() // some of it may have been taken
            written.transform {
              case _ if finished => Async.unit
              case Success(_)    =>
                patience.inputProgressed()
                feed()
              case Failure(_: IOException) => readsNoMore()
              case Failure(e)              => cutInput(e)
            }
          case Success(None) if fed == content.length =>
            backend.endInput()
            inputOver()
          case Success(None) => cutInput(new IOException("the request's content was shorter than announced"))
          case Failure(e)    => cutInput(e) // it could not be read from the client
        }
      }
    }
  }

  /** The code of a filter may be what it calls: what that throws is a failure like any other. */
  private def nextContent(): Async[Option[Array[Byte]]] =
    try {
      val next = content.stream.next()
      if (next == null) Async.fail(new NullPointerException("the request's content is null")) else next
    } catch { case Survivable(e) => Async.fail(e) }

  private def cutInput(e: Throwable): Async[Unit] = {
    fail(e)
    Async.unit
  }

  private def inputOver(): Async[Unit] = {
    isFed = true
    release()
    Async.unit
  }

  /** Its response counts, unless it was killed: if that waits for this, it waits for the end of the output now. */
  private def readsNoMore(): Async[Unit] =
    if (held == null) inputOver()
    else {
      isFed = true
      Async.unit
    }

  /**
   * Completes when the program has got all its content or needs no more; fails if the content is cut off. Drops its
   * output meanwhile, to see its end.
   */
  private def whenFed(): Async[Unit] =
    if (isFed || finished) Async.unit
    else {
      val promise = new AsyncPromise[Unit]
      held = promise
      dropRest()
      promise
    }

  private def release(): Unit = if (held != null) {
    val promise = held
    held = null
    if (brokenBy == null) promise.succeed(()) else promise.fail(brokenBy)
    ()
  }

  // The response. Loops end in `transform`, so that many small pieces need no stack.

  /** Passes the next piece of output to `f`; runs `instead` if this has ended meanwhile. */
  private def read[A](f: Try[Option[Array[Byte]]] => Async[A], instead: => Async[A]): Async[A] = {
    patience.awaitsProgram = true
    patience.progressed()
    backend.output.next().andFinally { patience.awaitsProgram = false }.transform { result =>
      if (finished) instead
      else {
        patience.progressed()
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
          case CgiResponseParser.Bad  => badAnswer(parser.error)
          case length                 => answered(length)
        }
      case Success(None) =>
        badAnswer(
          if (head.length == 0) "it ended without a response" else "it ended within the head of its response"
        )
      case Failure(e: HttpError) =>
        fail(e)
        Async.unit
      case Failure(e) => badAnswer(String.valueOf(e.getMessage))
    },
    Async.unit
  )

  private def badAnswer(why: String): Async[Unit] = {
    config.log.warn(s"$what: $why")
    fail(Conversation.badGateway)
    Async.unit
  }

  private def answered(length: Int): Async[Unit] = {
    if (length < head.length) afterHead = java.util.Arrays.copyOfRange(head.bytes, length, head.length)
    if (parser.localRedirect != null) {
      val path = parser.localRedirect
      discard().map(_ => { answer.succeed(Conversation.Redirect(path)); () })
    } else
      response match {
        case Left(why)       => badAnswer(why)
        case Right(response) =>
          isBodiless = isHead || !response.status.allowsBody
          val isWhole = isBodiless || framed.isComplete // once it begins
          (if (isWhole) whenFed() else Async.unit).transform {
            case Success(_) =>
              answer.succeed(Conversation.Final(response))
              Async.unit
            case Failure(e) =>
              answer.fail(e)
              Async.unit
          }
      }
  }

  private def response: Either[String, Response] = {
    val status = Status(parser.status)
    val length = parser.headers.getAll("Content-Length").distinct match {
      case Nil       => Right(-1L)
      case List(one) => Conversation.length(one).toRight("the Content-Length of its response is not a number")
      case _         => Left("its response has several Content-Lengths")
    }
    length.map { length =>
      if (length >= 0) framed.beginLength(length, ContentDecoder.Unlimited)
      else framed.beginUntilClose(ContentDecoder.Unlimited)
      val headers = Headers(HopByHop.without(parser.headers, Conversation.notPassedOn)*)
      val base    = Response(status).withHeaders(headers)
      if (length >= 0) base.stream(stream, length) else base.stream(stream)
    }
  }

  private val stream: ByteStream = new ByteStream {
    def next(): Async[Option[Array[Byte]]] =
      if (last != null) deliverLast()
      else if (finished) ended
      else if (framed.isComplete) {
        dropRest()
        Async.value(None)
      } else if (afterHead != null) {
        val piece = afterHead
        afterHead = null
        deliver(piece)
      } else
        read(
          {
            case Success(Some(piece)) => deliver(piece)
            case Success(None)        =>
              close(complete = true)
              Async.value(None)
            case Failure(e) => Async.fail(cutOff(e))
          },
          ended
        )

    /** The server cancels a response without content though the client is still connected: the program may finish. */
    def cancel(): Unit = {
      last = null
      if (held != null) close(complete = false)
      else if (isBodiless) dropRest()
      else if (!patience.isDiscarding) close(complete = false)
    }
  }

  /** The output has failed after the head of the response. Returns what the response fails with. */
  private def cutOff(e: Throwable): Throwable = {
    brokenBy = e match {
      case lost: IOException =>
        config.log.warn(s"$what: its response was cut off: ${lost.getMessage}")
        Conversation.badGateway
      case other => other
    }
    close(complete = false)
    brokenBy
  }

  private def ended: Async[Option[Array[Byte]]] =
    if (brokenBy != null) Async.fail(brokenBy) else Async.value(None)

  /**
   * The part of a piece that is content: bytes beyond Content-Length are not. With the last one the response is
   * complete, so it waits.
   */
  private def deliver(piece: Array[Byte]): Async[Option[Array[Byte]]] = {
    framed.decode(piece, 0, piece.length)
    val content =
      if (framed.dataUntil == piece.length) piece else java.util.Arrays.copyOf(piece, framed.dataUntil)
    if (framed.isComplete) {
      last = content
      deliverLast()
    } else Async.value(Some(content))
  }

  /** Its reader may stop waiting for it, and ask again. */
  private def deliverLast(): Async[Option[Array[Byte]]] =
    if (brokenBy != null) Async.fail(brokenBy)
    else
      whenFed().map { _ =>
        val content = last
        last = null
        Some(content)
      }

  private def dropRest(): Unit = if (!patience.isDiscarding) { discard(); () }

  /**
   * Reads the rest of the output to its end, and drops it: for at most `timeout` in all, but for as long as the program
   * reads its content.
   */
  private def discard(): Async[Unit] = {
    patience.discards()
    if (finished) Async.unit
    else
      read(
        {
          case Success(Some(_)) => discard()
          case result           =>
            result.failed.foreach {
              case _: PeerLost => () // the response is whole, and nobody is left to read the request
              case e           => if (held != null) cutOff(e)
            }
            close(complete = result.isSuccess)
            Async.unit
        },
        Async.unit
      )
  }

  // Time

  private[host] def hasAnswered: Boolean = answer.isCompleted
  private[host] def isAllFed: Boolean    = isFed

  private[host] def tooLong(isStuck: Boolean): Unit = {
    if (isStuck) onTimeout()
    config.log.warn(s"$what: it took too long and was terminated")
    brokenBy = Conversation.tooSlow
    fail(Conversation.tooSlow)
  }

  private[host] def unendedOutput(): Unit = {
    config.log.warn(s"$what: it went on writing after its response and was terminated")
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
    patience.end()
    try {
      if (feeding != null) feeding.cancel()
      content.close()
    } finally
      try
        if (complete && isFed) backend.endInput()
        else {
          if (complete && !backend.hasEnded)
            config.log.warn(s"$what: it ended its output before it had read its request, and was terminated")
          backend.stop()
        }
      finally
        try release()
        finally onEnd(complete) // whatever the others throw: it returns the place
  }
}

private[host] object Conversation {

  /** The response of a program. */
  sealed abstract class Answer

  /** A response for the client. */
  final case class Final(response: Response) extends Answer

  /** A local redirect: the client gets the response for that path (RFC 3875 section 6.2.2). */
  final case class Redirect(path: String) extends Answer

  /** 502: the program's response is malformed or missing. */
  val badGateway: HttpError = HttpError(Status.BadGateway, "bad gateway")

  /** 504: the program did not respond in time. */
  val tooSlow: HttpError = HttpError(Status.GatewayTimeout, "gateway timeout")

  /** Fields of a program's response that the server sets itself, besides those of its connection. In lower case. */
  private val notPassedOn = Set("content-length", "date")

  /** The value of Content-Length; None if it is not a number of at most 18 digits. */
  def length(text: String): Option[Long] =
    if (text.nonEmpty && text.length <= 18 && text.forall(c => c >= '0' && c <= '9')) Some(text.toLong)
    else None
}
