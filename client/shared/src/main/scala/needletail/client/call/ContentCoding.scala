package needletail.client.call

import needletail.async.{Async, Survivable}
import needletail.client.connection.ClientLoopContext
import needletail.client.error.ClientError
import needletail.http.ByteStream
import needletail.http.http1.ResponseHead
import needletail.http.message.{Headers, HttpError, Method, Status}
import needletail.http.text.Ascii
import needletail.io.EventLoop

/** The codings that a call accepts for the content of its response, and their decoders. */
private[call] object ContentCoding {

  /**
   * Whether the client requests codings: not if the caller does, nor for a part of a representation, which
   * cannot be decoded, nor for HEAD.
   */
  def isAsked(context: ClientLoopContext, call: Call, method: Method, headers: Headers): Boolean =
    context.acceptEncoding != null && !call.is(Call.Undecoded) && (method ne Method.HEAD) &&
      !headers.contains("Accept-Encoding") && !headers.contains("Range")

  /** The single coding of a response that has content, in lower case; null if there is none. */
  def of(status: Status, head: ResponseHead): String =
    if (!status.allowsBody || status == Status.PartialContent || head.contentLength == 0) null
    else {
      val at = head.indexOf("content-encoding", 0)
      if (at < 0 || head.indexOf("content-encoding", at + 1) >= 0) null
      else Ascii.lower(head.value(at)).split(',').map(_.trim).filter(_.nonEmpty) match { // RFC 9110 §5.6.1.2
        case Array(coding) => coding
        case _             => null
      }
    }

  /** The fields of a response whose content has been decoded: without those of the coding and its length. */
  def decoded(headers: Headers): Headers = headers.remove("Content-Encoding").remove("Content-Length")

  /** The error of the call. */
  def failure(host: String, cause: Throwable): Throwable = cause match {
    case e: HttpError if e.status == Status.ContentTooLarge || e.status == Status.ServiceUnavailable =>
      new ClientError.TooLarge(host, s"the response cannot be decoded: ${e.message}")
    case e: HttpError => new ClientError.Malformed(host, s"the response cannot be decoded: ${e.message}")
    case e            => e
  }

  def noDecoder(coding: String): Throwable =
    new NullPointerException(s"the decoder of $coding has returned null")

  /**
   * A decoded content that `lost` ends from outside.
   *
   * @param failure the failure of the call, for one of its content
   */
  final class Decoded(failure: Throwable => Throwable, coded: StreamedContent, plain: ByteStream)
      extends StreamedContent {
    private var loss: ClientError = null

    def length: Long      = -1
    def trailers: Headers = coded.trailers

    def next(): Async[Option[Array[Byte]]] =
      if (loss != null) Async.fail(loss)
      else
        try plain.next().recoverWith { case e => Async.fail(failure(if (loss != null) loss else e)) }
        catch { // of the decoder, which has not left the coded content then
          case Survivable(e) =>
            coded.cancel()
            Async.fail(e)
        }

    def cancel(): Unit = if (loss == null) {
      try plain.cancel() // which does not pass it on if it has ended by itself, and may be a program's own
      finally coded.cancel()
    }

    /** The coded content has failed; it may never be read again. */
    def lost(error: ClientError): Unit = {
      loss = error
      try plain.cancel()
      catch { // a program's own: the call ends all the same
        case Survivable(e) => EventLoop.report("cancelling the decoder of a response failed", e)
      }
    }
  }
}
