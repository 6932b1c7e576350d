package needletail.http

import needletail.async.Async

/**
 * A request: a view of the bytes that came in, decoded when asked.
 *
 * It is good until its answer is complete. Asked for anything after that it throws IllegalStateException (it
 * never shows another request's bytes); `keep` makes a copy that lasts. Used on its connection's loop only,
 * but for a kept one, which any thread may read.
 */
final class Request private[needletail] (
    private var view: Head,
    private var generation: Int,
    val body: Body,
    val connection: ConnectionInfo
) {

  /** The head, for parsers of it; throws IllegalStateException when the answer is complete. */
  private[needletail] def head: Head = {
    val h = view
    if (h.generation != generation)
      throw new IllegalStateException("this request's answer is complete; use request.keep for what must last")
    h
  }

  def method: Method = head.method

  /** The request target as it was sent. */
  def target: String = { val h = head; h.text(h.targetFrom, h.targetUntil) }

  /**
   * The path, normalised: dot segments removed, unreserved characters decoded, everything else still
   * percent-encoded, so that an encoded slash is no slash. `*` for OPTIONS *.
   */
  def path: String = {
    val h = head
    if (h.pathUntil == h.pathFrom) target
    else new String(h.pathBytes, h.pathStart, h.pathEnd - h.pathStart, java.nio.charset.StandardCharsets.ISO_8859_1)
  }

  /** The query as sent, without the question mark. */
  def query: Option[String] = {
    val h = head
    if (h.queryFrom < 0) None else Some(h.text(h.queryFrom, h.queryUntil))
  }

  /** Host and port the client asked for: of an absolute target, else of Host; empty when it named none. */
  def authority: String = {
    val h = head
    if (h.authorityFrom < 0) "" else h.text(h.authorityFrom, h.authorityUntil)
  }

  /** The minor version: 1 for HTTP/1.1, 0 for HTTP/1.0. */
  def minorVersion: Int = head.minor

  /** The first value of that header, names compared without case. */
  def header(name: String): Option[String] = {
    val h = head
    val i = h.indexOf(name, 0)
    if (i < 0) None else Some(h.value(i))
  }

  /** All fields, copied out of the bytes. */
  def headers: Headers = {
    val h    = head
    val flat = new Array[String](2 * h.fieldCount)
    var i    = 0
    while (i < h.fieldCount) {
      flat(2 * i) = h.name(i)
      flat(2 * i + 1) = h.value(i)
      i += 1
    }
    Headers.trusted(flat)
  }

  /** The whole body as text; its Content-Type's charset, else UTF-8. Fails as `body.bytes` does. */
  def text: Async[String] = {
    val charset = MediaType.charset(header("content-type"))
    body.bytes.map(bytes => new String(bytes, charset))
  }

  /** A copy with bytes of its own that stays readable after the answer. Its body is the same, read once. */
  def keep: Request = {
    val own = head.copied
    new Request(own, own.generation, body, connection)
  }

  /** Gives this request bytes of its own, before the ones it came in are reused. */
  private[needletail] def detach(): Unit = {
    val own = head.copied
    view = own
    generation = own.generation
  }

  /** From here on this request's bytes are gone; a kept copy is not touched. */
  private[needletail] def release(): Unit = {
    view = Request.released
    generation = -1
  }

  override def toString: String =
    if (view.generation != generation) "Request(complete)" else s"$method $target"
}

object Request {
  private[needletail] val released: Head = new Head
}
