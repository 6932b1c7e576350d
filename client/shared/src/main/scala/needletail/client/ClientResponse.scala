package needletail.client

import needletail.http._

/** An answer with its whole body. */
final class ClientResponse private[client] (
    val status: Status,
    val headers: Headers,
    private[client] val content: Array[Byte],
    val trailers: Headers
) {

  /** A status from 200 to 299? */
  def isSuccess: Boolean = status.code / 100 == 2

  /** The first value of that header. */
  def header(name: String): Option[String] = headers.get(name)

  /** The body. The array is the caller's. */
  def bytes: Array[Byte] = content

  /** The body as text: by its Content-Type's charset, else UTF-8. */
  def text: String = MediaType.decode(content, MediaType.charset(headers.get("Content-Type")))

  /** The same to answer somebody with: without what concerned the connection it came on (RFC 9110 §7.6.1). */
  def toResponse: Response = ClientResponse.passOn(status, headers).bytes(content)

  override def toString: String = s"ClientResponse($status, ${content.length} octets)"
}

/** An answer whose body comes piece by piece. Used on its loop only. */
final class StreamedResponse private[client] (
    val status: Status,
    val headers: Headers,
    private[client] val sending: StreamSending
) {
  def header(name: String): Option[String] = headers.get(name)

  /**
   * The body, each piece read from the connection only when asked for; to be read to its end or cancelled, or else
   * its connection is closed after `bodyTimeout`. Fails with a [[ClientError]] when it is cut off.
   */
  def body: ByteStream = sending.stream

  /** The trailer fields; empty before the end has been read and where none came. */
  def trailers: Headers = sending.trailers

  /** The same to answer somebody with, as it comes: without what concerned the connection it came on. */
  def toResponse: Response = {
    val response = ClientResponse.passOn(status, headers)
    val length   = sending.announced
    if (!status.allowsBody) {
      body.cancel()
      response
    } else if (length >= 0) response.stream(body, length)
    else response.stream(body)
  }
}

private[client] object ClientResponse {
  private val hopByHop = List(
    "connection",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "content-length",
    "date"
  )

  def passOn(status: Status, headers: Headers): Response = {
    val named = headers.list("connection")
    val kept  = headers.toList.filterNot { case (n, _) =>
      hopByHop.exists(Ascii.same(_, n)) || named.exists(Ascii.same(_, n))
    }
    Response(status).withHeaders(Headers(kept: _*))
  }
}
