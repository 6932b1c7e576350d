package needletail.content.multipart

import needletail.async.Async
import needletail.http.text.ByteWriter
import needletail.http.{ByteStream, Headers, MediaType, MessageBody}

/**
 * A part of a multipart form. Its content is read from the connection, once, before the next part is requested; what has
 * not been read by then is skipped.
 *
 * @param name the name of the form's field
 * @param fileName chosen by the client; None for a field that is not a file. It may be anything, such as `../../etc/passwd`:
 *                 never use it as a path. `writeTo` of the content takes a path of yours
 * @param headers of this part
 * @param form the body that it is in
 */
final class FormPart private[multipart] (
    val name: String,
    val fileName: Option[String],
    val headers: Headers,
    val content: ByteStream,
    form: MessageBody
) {

  /** Content-Type as sent; text/plain if there is none (RFC 7578 §4.4). */
  def contentType: String = headers.get("Content-Type").getOrElse("text/plain")

  /**
   * The whole content, of at most `limit` bytes; fails with HttpError 413 for more. It counts towards the server's
   * `memoryBudget` until the request is over, also when you keep it no longer: read long contents by `content`.
   */
  def bytes(limit: Int = 65536): Async[Array[Byte]] =
    MessageBody.collect(content, new ByteWriter(256), limit, hold = form.hold(_))

  /** The whole content as text, in the charset of Content-Type, else in UTF-8. */
  def text(limit: Int = 65536): Async[String] = {
    val charset = MediaType.charset(headers.get("Content-Type"))
    bytes(limit).map(MediaType.decode(_, charset))
  }

  override def toString: String = s"FormPart($name)"
}
