package needletail.http

import needletail.async.Async

/** The content of a request, to be read once: whole, or as a stream with demand. */
abstract class Body private[needletail] () {

  /** Octets announced by Content-Length; -1 when only the end will tell. */
  def length: Long

  /** Is it known to have no content? */
  def isEmpty: Boolean

  /** The content piece by piece, each read from the connection only when asked for. */
  def stream: ByteStream

  /**
   * The whole content, at most `limit` octets: more fails with HttpError 413, a client that stops sending
   * with 408. The array is the caller's.
   */
  def bytes(limit: Int): Async[Array[Byte]]

  /** The whole content, up to the server's limit for bodies. */
  def bytes: Async[Array[Byte]]

  /** The trailer fields; empty before the end has been read and where none came. */
  def trailers: Headers
}

object Body {
  private final class Fixed(content: Array[Byte]) extends Body {
    def length: Long                          = content.length.toLong
    def isEmpty: Boolean                      = content.length == 0
    def stream: ByteStream                    = ByteStream.of(content)
    def bytes(limit: Int): Async[Array[Byte]] =
      if (content.length > limit)
        Async.fail(HttpError(Status.ContentTooLarge, s"the body is larger than $limit bytes"))
      else Async.value(content)
    def bytes: Async[Array[Byte]] = Async.value(content)
    def trailers: Headers         = Headers.empty
  }

  /** A stream as a body; to be read once. */
  private[needletail] def streamed(source: ByteStream, announced: Long): Body = new Body {
    def length: Long                          = announced
    def isEmpty: Boolean                      = announced == 0
    def stream: ByteStream                    = source
    def bytes(limit: Int): Async[Array[Byte]] = collect(source, new ByteWriter(1024), limit)
    def bytes: Async[Array[Byte]]             = bytes(Int.MaxValue)
    def trailers: Headers                     = Headers.empty
  }

  /**
   * Reads a stream to its end into one array; fails with HttpError 413 beyond `limit`. Of `announced` octets, where it
   * is not below 0, half must have come before there is room for all. Before the array grows `hold` is asked whether
   * that many bytes more may be held; what it fails with is the outcome, null lets it.
   */
  private[needletail] def collect(
      source: ByteStream,
      into: ByteWriter,
      limit: Int,
      announced: Long = -1,
      hold: Int => Throwable = null
  ): Async[Array[Byte]] =
    source.next().flatMap {
      case None        => Async.value(into.taken)
      case Some(piece) =>
        if (piece.length > limit - into.length) {
          source.cancel()
          Async.fail(HttpError(Status.ContentTooLarge, s"the body is larger than $limit bytes"))
        } else {
          val more    = into.roomFor(piece.length, announced) - into.bytes.length
          val refusal = if (hold == null || more == 0) null else hold(more)
          if (refusal != null) {
            source.cancel()
            Async.fail(refusal)
          } else {
            into.ensure(piece.length, announced)
            into.write(piece)
            collect(source, into, limit, announced, hold)
          }
        }
    }

  val empty: Body                    = new Fixed(Fields.noBytes)
  def of(content: Array[Byte]): Body = if (content.length == 0) empty else new Fixed(content)

  /** That text as UTF-8. */
  def of(text: String): Body = of(text.getBytes(java.nio.charset.StandardCharsets.UTF_8))
}
