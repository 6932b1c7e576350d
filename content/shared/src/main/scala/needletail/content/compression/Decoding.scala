package needletail.content.compression

import java.util.zip.Inflater

import needletail.async.{Async, Setting}
import needletail.client.config.ContentDecoding
import needletail.http.message.HttpError
import needletail.http.text.Ascii
import needletail.http.{ByteStream, MessageBody, Request, Status}
import needletail.routing.BodyReader

/**
 * What a compressed body may become. More is answered 413, while it grows.
 *
 * @param size bytes
 * @param ratio bytes for each byte that was sent; the first 64 KB are not counted
 */
final case class DecodingLimits(size: Long = 8L * 1024 * 1024, ratio: Int = 200) {
  private def check(): Unit = {
    val is = Setting("DecodingLimits")
    is.positive("size", size)
    is.positive("ratio", ratio)
  }
  check()

  /** Throws HttpError 413 if `written` bytes of `read` ones are too many. */
  private[compression] def check(read: Long, written: Long): Unit =
    if (written > size || written - DecodingLimits.Free > read * ratio)
      throw HttpError(Status.ContentTooLarge, "the decompressed body is too large")
}

object DecodingLimits {
  private final val Free = 64L * 1024
}

/** Bodies of requests, and of a client's responses, with a Content-Encoding (RFC 9110 §8.4). */
object Decoding {

  /**
   * Reads what another reader reads from the decoded body: `Body(Decoding.reader[Order]())`. A coding other than gzip,
   * deflate and identity is answered 415, with Accept-Encoding left to the handler.
   */
  def reader[A](limits: DecodingLimits = DecodingLimits())(implicit of: BodyReader[A]): BodyReader[A] =
    BodyReader.of(of.name, of.accepts) { request =>
      decoded(request, limits) match {
        case Right(plain) => of.read(plain)
        case Left(error)  => Async.fail(error)
      }
    }

  /** The request with its body decoded, if it has a coding; the error is a 415. */
  def decoded(request: Request, limits: DecodingLimits = DecodingLimits()): Either[HttpError, Request] =
    decoded(request, limits, new Inflater(_))

  private[compression] def decoded(
      request: Request,
      limits: DecodingLimits,
      newInflater: Boolean => Inflater
  ): Either[HttpError, Request] = {
    val codings = request.headers.list("content-encoding").map(Ascii.lower).filterNot(_ == "identity")
    codings match {
      case Nil                                       => Right(request)
      case coding :: Nil if Decoding.codings(coding) =>
        val plain = new Inflating(request.body.stream, coding != "deflate", limits, newInflater = newInflater)
        request.onOver(() => plain.release())
        Right(request.withBody(MessageBody.streamed(plain, -1)))
      case _ =>
        Left(HttpError(Status.UnsupportedMedia, "the Content-Encoding of the body is not gzip or deflate"))
    }
  }

  /**
   * Makes a client ask for gzip and deflate, and decode them: `ClientConfig(decoding = Some(Decoding.responses()))`.
   * Calls fail with `ClientError.TooLarge` beyond `limits`, and with `ClientError.Malformed` if the content is malformed
   * or incomplete. A response with another coding is returned as it is.
   */
  def responses(limits: DecodingLimits = DecodingLimits(size = 1L << 30)): ContentDecoding =
    new ContentDecoding {
      def accepts: String = "gzip, deflate"

      def decode(coding: String, content: ByteStream): Option[ByteStream] =
        if (codings(coding)) Some(new Inflating(content, coding != "deflate", limits, isEmptyAllowed = true))
        else None
    }

  private val codings = Set("gzip", "x-gzip", "deflate")
}
