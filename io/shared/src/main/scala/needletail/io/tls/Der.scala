package needletail.io.tls

import java.util.Arrays

import scala.annotation.tailrec

/**
 * An element in DER (X.690).
 *
 * @param tag with the bits of its class, and of whether it consists of others
 */
private[io] final class Der private (
    bytes: Array[Byte],
    val tag: Int,
    begin: Int,
    from: Int,
    private val until: Int
) {

  /** Without its tag and its length. */
  def content: Array[Byte] = Arrays.copyOfRange(bytes, from, until)

  def whole: Array[Byte] = Arrays.copyOfRange(bytes, begin, until)

  /** The elements that it consists of; None if these are malformed. */
  def elements: Option[Seq[Der]] = Der.elements(bytes, from, until, Vector.empty)
}

private[io] object Der {

  // Tags
  final val Boolean      = 0x01
  final val OctetString  = 0x04
  final val ObjectNumber = 0x06
  final val Sequence     = 0x30

  /** One element, and nothing behind it; None if it is malformed. */
  def of(bytes: Array[Byte]): Option[Der] =
    elements(bytes, 0, bytes.length, Vector.empty).collect { case Seq(one) => one }

  @tailrec
  private def elements(bytes: Array[Byte], from: Int, until: Int, before: Vector[Der]): Option[Seq[Der]] =
    if (from == until) Some(before)
    else {
      val one = next(bytes, from, until)
      if (one eq null) None else elements(bytes, one.until, until, before :+ one)
    }

  /** The one that begins there; null if it is malformed. Tags of more than a byte, and lengths of four, do not occur. */
  private def next(bytes: Array[Byte], begin: Int, until: Int): Der =
    if (until - begin < 2 || (bytes(begin) & 0x1f) == 0x1f) null
    else {
      val first = bytes(begin + 1) & 0xff
      val more  = if (first < 0x80) 0 else first & 0x7f
      val from  = begin + 2 + more
      if (first == 0x80 || more > 3 || from > until) null
      else {
        val length =
          if (more == 0) first
          else (begin + 2 until from).foldLeft(0)((n, i) => n << 8 | bytes(i) & 0xff)
        if (length > until - from) null
        else new Der(bytes, bytes(begin) & 0xff, begin, from, from + length)
      }
    }

  /** An element of another one. */
  def element(tag: Int, content: Array[Byte]): Array[Byte] = {
    val n    = content.length
    val head =
      if (n < 0x80) Array(tag, n)
      else if (n < 0x100) Array(tag, 0x81, n)
      else Array(tag, 0x82, n >> 8, n)
    head.map(_.toByte) ++ content
  }
}
