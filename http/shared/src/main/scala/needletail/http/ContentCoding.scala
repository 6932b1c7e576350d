package needletail.http

import needletail.http.message.{Headers, HttpError, Status}
import needletail.http.text.{Ascii, Excerpt}

/** Content-Encoding of requests (RFC 9110 §8.4), for those who read bodies and do not decode them. */
private[needletail] object ContentCoding {

  /** For the headers of a request: see `Request.codingRefusal`. */
  def refusal(headers: Headers): HttpError =
    headers.list("content-encoding").filterNot(Ascii.same(_, "identity")) match {
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
