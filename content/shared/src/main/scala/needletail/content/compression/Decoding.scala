package needletail.content.compression

import needletail.async.{Async, Setting}
import needletail.client.config.ContentDecoding
import needletail.http.message.{Headers, HttpError}
import needletail.http.text.Ascii
import needletail.http.{ByteStream, MessageBody, Request, Status}
import needletail.routing.BodyReader

/**
 * Limits of a decompressed body. Exceeding them is answered with 413, while it grows.
 *
 * @param size bytes
 * @param ratio bytes for each byte that was sent; the first 64 KB are not counted
 * @param streams contents coded as `br` and `zstd` that are decoded at the same time, in the whole program: each holds as
 *   much as has been decoded, up to 16 and 8 MB. Further ones are answered 503
 */
final case class DecodingLimits(size: Long = 8L * 1024 * 1024, ratio: Int = 200, streams: Int = 64) {
  private def check(): Unit = {
    val is = Setting("DecodingLimits")
    is.positive("size", size)
    is.positive("ratio", ratio)
    is.notNegative("streams", streams)
  }
  check()

  /** Throws HttpError 413 if `written` bytes of `read` ones are too many. */
  private[compression] def check(read: Long, written: Long): Unit =
    if (written > size)
      throw HttpError(Status.ContentTooLarge, s"the decompressed body has more than $size bytes")
    else if (written - DecodingLimits.Free > read * ratio)
      throw HttpError(
        Status.ContentTooLarge,
        s"the decompressed body has more than $ratio times as many bytes as were sent"
      )
}

object DecodingLimits {
  private final val Free = 64L * 1024
}

/**
 * Bodies of requests, and of a client's responses, with a Content-Encoding (RFC 9110 §8.4): gzip and deflate, and `br`
 * and `zstd` where there is a library for them. That is, on the JVM brotli4j and zstd-jni on the class path, natively
 * libbrotlidec.so.1 and libzstd.so.1.
 */
object Decoding {

  /**
   * Reads what another reader reads from the decoded body: `Body(Decoding.reader[Order]())`. Another coding, or several,
   * are answered with 415, with the supported codings in Accept-Encoding (RFC 9110 §15.5.16).
   */
  def reader[A](limits: DecodingLimits = DecodingLimits())(implicit of: BodyReader[A]): BodyReader[A] = {
    Decoders.usable // not on an event loop, which this would keep waiting
    BodyReader.of(of.name, of.accepts, of.mediaTypes, readsCoded = true) { request =>
      decoded(request, limits) match {
        case Right(plain) => of.read(plain)
        case Left(error)  => Async.fail(error)
      }
    }
  }

  /** The request with its body decoded, if it has a coding, and without Content-Encoding; the error is a 415. */
  def decoded(request: Request, limits: DecodingLimits = DecodingLimits()): Either[HttpError, Request] =
    decoded(request, limits, Decoders.of(_, limits.streams))

  private[compression] def decoded(
      request: Request,
      limits: DecodingLimits,
      newDecoder: String => Decoder
  ): Either[HttpError, Request] = {
    val codings = request.headers.list("content-encoding").map(Ascii.lower).filterNot(_ == "identity")
    codings match {
      case Nil                                        => Right(request)
      case coding :: Nil if Decoders.isUsable(coding) =>
        val plain = new Decompressing(request.body.allPieces, () => newDecoder(coding), limits)
        request.onOver(() => plain.release())
        Right(
          request.withBody(MessageBody.streamed(plain, -1, request.body)).withoutHeader("Content-Encoding")
        )
      case _ => Left(unknown)
    }
  }

  private lazy val unknown = {
    val known = Decoders.usable.mkString(", ")
    HttpError(
      Status.UnsupportedMedia,
      s"the body must have no Content-Encoding or one of $known",
      Headers("Accept-Encoding" -> known)
    )
  }

  /**
   * Makes a client request codings, and decode them: `ClientConfig(decoding = Some(Decoding.responses()))`. Calls fail
   * with `ClientError.TooLarge` beyond `limits`, and with `ClientError.Malformed` if the content is malformed or
   * incomplete. A response with another coding is returned as it is.
   *
   * @param codings of `gzip`, `deflate`, `br` and `zstd`, the preferred one first. Throws IllegalArgumentException for one
   *   that cannot be decoded
   */
  def responses(
      limits: DecodingLimits = DecodingLimits(size = 1L << 30),
      codings: Seq[String] = Seq("gzip", "deflate")
  ): ContentDecoding = {
    codings.foreach { coding =>
      val problem = Decoders.problem(coding)
      if (problem != null) throw new IllegalArgumentException(s"Decoding.responses: $problem")
    }
    val known = codings.toSet ++ codings.collect { case "gzip" => "x-gzip" }
    new ContentDecoding {
      val accepts: String = codings.mkString(", ")

      def decode(coding: String, content: ByteStream): Option[ByteStream] =
        if (known(coding))
          Some(new Decompressing(
            content,
            () => Decoders.of(coding, limits.streams),
            limits,
            isEmptyAllowed = true
          ))
        else None
    }
  }
}
