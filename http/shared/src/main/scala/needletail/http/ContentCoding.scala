package needletail.http

import needletail.http.message.{Headers, HttpError, Status}
import needletail.http.text.{Ascii, Excerpt}

/** Content-Encoding of requests (RFC 9110 §8.4), for those who read bodies and do not decode them. */
private[needletail] object ContentCoding {

  /**
   * Why a body is not read by who does not decode it: a 415 that says so in Accept-Encoding (§12.5.3); null if the body
   * has no coding.
   */
  def refusal(request: Request): HttpError =
    if (request.header("content-encoding").isEmpty) null
    else
      request.headers.list("content-encoding").filterNot(Ascii.same(_, "identity")) match {
        case Nil     => null
        case codings =>
          HttpError(
            Status.UnsupportedMedia,
            s"expected a body without Content-Encoding, got '${Excerpt(codings.mkString(", "))}'",
            onlyIdentity
          )
      }

  private val onlyIdentity = Headers("Accept-Encoding" -> "identity")
}
