package needletail.client.call

import needletail.http.{ByteStream, Response}
import needletail.http.message.{Headers, HopByHop, MediaType, Status}

/** A response with its whole body. */
final class ClientResponse private[client] (
    val status: Status,
    val headers: Headers,
    content: Array[Byte],
    val trailers: Headers,
    isHead: Boolean = false
) {

  /** Whether the status is 200 to 299. */
  def isSuccess: Boolean = status.code / 100 == 2

  /** The first value of that header. */
  def header(name: String): Option[String] = headers.get(name)

  /** The body. The same array each time, which belongs to the caller. */
  def bytes: Array[Byte] = content

  /** The body as text, in the charset of its Content-Type or in UTF-8. */
  def text: String = MediaType.decode(content, MediaType.charset(headers.get("Content-Type")))

  /**
   * A server response to forward it: without the fields that concern the connection (RFC 9110 §7.6.1), and with 502 in
   * place of an invalid status, 600 to 999. The response to a HEAD request keeps its Content-Length, so it can only answer
   * another HEAD request.
   */
  def toResponse: Response = {
    val response = ClientResponse.forwarded(status, headers)
    if (!isHead || !status.allowsBody) response.bytes(content)
    else {
      val length = ClientResponse.lengthForGet(headers)
      if (length >= 0) response.stream(ByteStream.of(content), length)
      else response.stream(ByteStream.of(content))
    }
  }

  override def toString: String = s"ClientResponse($status, ${content.length} bytes)"
}

private[client] object ClientResponse {
  private val notPassedOn = Set("content-length", "date")

  /**
   * The length that the content of a response to GET would have, by the Content-Length of one to HEAD (RFC 9110 §8.6);
   * -1 if it is not known.
   */
  def lengthForGet(headers: Headers): Long = headers.getAll("Content-Length") match {
    case List(digits) if digits.forall(c => c >= '0' && c <= '9') => digits.toLongOption.getOrElse(-1L)
    case _                                                        => -1L
  }

  /**
   * A server response without content, with the end-to-end fields of `headers` (RFC 9110 §7.6.1); 502 for a status that is
   * invalid, which counts as a failure of the server that sent it (RFC 9110 §15).
   */
  def forwarded(status: Status, headers: Headers): Response =
    Response(if (status.isValid) status else Status.BadGateway)
      .withHeaders(Headers(HopByHop.without(headers, notPassedOn): _*))
}
