package needletail.client.config

import needletail.http.ByteStream

/**
 * Decodes the contents of responses that have a Content-Encoding (RFC 9110 §8.4). `Decoding.responses()` of
 * `needletail-content` is one for gzip, deflate, br and zstd. Used by all loops of a client.
 */
abstract class ContentDecoding {

  /** The value of Accept-Encoding that calls are sent with. */
  def accepts: String

  /**
   * The content, decoded on demand. It fails with an HttpError: 413 if the content grows beyond a limit, 503 if
   * there is no memory for it, otherwise 400. It holds nothing once it has ended, has failed or has been cancelled, and passes the failures of
   * `content` on. None for a coding that it does not know.
   *
   * @param coding in lower case
   */
  def decode(coding: String, content: ByteStream): Option[ByteStream]
}
