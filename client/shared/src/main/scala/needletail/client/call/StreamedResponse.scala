package needletail.client.call

import needletail.http.{ByteStream, Response}
import needletail.http.message.{Headers, Status}

/** A response whose body is read piece by piece. Used on its loop only. */
final class StreamedResponse private[client] (
    val status: Status,
    val headers: Headers,
    content: StreamedContent
) {

  /** The first value of that header. */
  def header(name: String): Option[String] = headers.get(name)

  /**
   * The body. Each piece is read from the connection only when it is requested. Must be read to its end or cancelled;
   * otherwise the connection is closed after `bodyTimeout`. Fails with a [[ClientError]] if it is cut off.
   */
  def body: ByteStream = content

  /** The trailer fields; empty before the body has been read to its end, and if there are none. */
  def trailers: Headers = content.trailers

  /**
   * A server response to forward it as it arrives: without the fields that concern the connection (RFC 9110 §7.6.1). The
   * response to a HEAD request keeps its Content-Length, so it can only answer another HEAD request.
   */
  def toResponse: Response = {
    val response = ClientResponse.forwarded(status, headers)
    if (!status.allowsBody) {
      body.cancel()
      response
    } else if (content.length >= 0) response.stream(body, content.length)
    else response.stream(body)
  }
}

/** The content of a streamed response. */
private[client] abstract class StreamedContent extends ByteStream {

  /** Bytes announced by Content-Length, which a response to HEAD does not have; -1 without. */
  def length: Long

  /** The trailer fields; empty before the end. */
  def trailers: Headers
}
