package needletail.content.compression

import needletail.http.Status
import needletail.http.message.HttpError

/** Decompresses one content. For one thread at a time, on any; `close` must be called once. */
private[compression] abstract class Decoder {

  /** Bytes to decompress; all before have been used. They must not change until `decode` returns 0. */
  def take(bytes: Array[Byte], from: Int, length: Int): Unit

  /**
   * Writes to the beginning of `out`; returns how much. 0 if all that was taken has been used. Throws `Decoder.malformed`
   * if it is not compressed content.
   */
  def decode(out: Array[Byte]): Int

  /** Whether the content may end with the bytes that have been used. */
  def mayEnd: Boolean

  def close(): Unit
}

/** A decoder that uses its input piece by piece: what is left of it is from `from` to `until`. */
private[compression] abstract class PiecewiseDecoder extends Decoder {
  protected final var input: Array[Byte] = null
  protected final var from, until        = 0

  final def take(bytes: Array[Byte], from: Int, length: Int): Unit = {
    input = bytes
    this.from = from
    until = from + length
  }
}

private[compression] object Decoder {
  val malformed: HttpError = HttpError(Status.BadRequest, "the compressed body is malformed")

  /**
   * Bytes that a content may refer back to, as a power of two, where that is not bounded by the coding: what every
   * decoder of HTTP must be able to hold for Zstandard (RFC 9659).
   */
  final val Window = 23
}
