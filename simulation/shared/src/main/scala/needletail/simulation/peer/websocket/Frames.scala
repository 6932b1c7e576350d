package needletail.simulation.peer.websocket

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

import needletail.http.zlib.Deflaters
import needletail.simulation.peer.ContentEncoder
import needletail.simulation.world.SeededRandom

/** Writes frames of WebSockets, well and badly formed, without the library's code. */
final class Frames(random: SeededRandom, isClient: Boolean) {
  import Frames._

  def apply(first: Int, payload: Array[Byte]): Array[Byte] = {
    val out = new java.io.ByteArrayOutputStream
    out.write(first)
    val mask = if (isClient) 0x80 else 0
    val n    = payload.length
    if (n < 126) out.write(mask | n)
    else if (n < 65536) { out.write(mask | 126); out.write(n >> 8); out.write(n) }
    else { out.write(mask | 127); for (i <- 7 to 0 by -1) out.write((n.toLong >> (8 * i)).toInt) }
    if (isClient) {
      val key = Array.fill(4)(random.below(256).toByte)
      out.write(key)
      for (i <- 0 until n) out.write(payload(i) ^ key(i % 4))
    } else out.write(payload)
    out.toByteArray
  }

  def ping(payload: Array[Byte]): Array[Byte] = apply(0x89, payload)
  def pong(payload: Array[Byte]): Array[Byte] = apply(0x8a, payload)

  /** @param code 1005 for none */
  def close(code: Int, reason: String): Array[Byte] =
    apply(
      0x88,
      if (code == 1005) Array.emptyByteArray
      else Array((code >> 8).toByte, code.toByte) ++ reason.getBytes(UTF_8)
    )

  /** A message in one frame or several. */
  def message(isText: Boolean, content: Array[Byte], packs: Boolean): Seq[Array[Byte]] = {
    val isPacked = packs && random.percent(70)
    val bytes    = if (isPacked) packed(content) else content
    val first    = (if (isText) 1 else 2) | (if (isPacked) 0x40 else 0)
    if (random.percent(60)) Seq(apply(0x80 | first, bytes))
    else {
      val cuts   = Seq.fill(random.skewed(8))(random.below(bytes.length + 1)).sorted
      val bounds = (0 +: cuts) :+ bytes.length
      val pieces = bounds.zip(bounds.tail).map { case (from, until) => bytes.slice(from, until) }
      pieces.zipWithIndex.map { case (piece, i) =>
        apply((if (i == 0) first else 0) | (if (i == pieces.length - 1) 0x80 else 0), piece)
      }
    }
  }

  /** By RFC 7692 §7.2.1: by zlib, or in blocks that are not compressed (RFC 1951 §3.2.4). */
  private def packed(content: Array[Byte]): Array[Byte] =
    if (random.percent(50) && content.nonEmpty) {
      val deflater = Deflaters.take(1 + random.below(9))
      try {
        val out = new Array[Byte](content.length + content.length / 100 + 100)
        deflater.setInput(content, 0, content.length)
        out.take(deflater.deflate(out, 0, out.length, flush = true) - 4)
      } finally Deflaters.give(deflater)
    } else {
      // and the beginning of an empty block, of which the rest is left out
      ContentEncoder.stored(random, content) :+ 0.toByte
    }

  /**
   * Something that must not be sent where a message may begin, with the code by which the WebSocket has to be closed.
   *
   * @param packs whether compression has been agreed on
   */
  def malformed(packs: Boolean, maxMessage: Int): (Array[Byte], Int) = {
    val some = "some".getBytes(UTF_8)
    random.below(17) match {
      case 0  => (apply(0x81 | random.pick(Seq(0x10, 0x20, 0x30)), some), 1002)
      case 1  => (apply(0x80 | random.pick(Seq(3, 7, 11, 15)), some), 1002)
      case 2  => (new Frames(random, !isClient)(0x81, some), 1002)
      case 3  => (ping(new Array[Byte](random.between(126, 300))), 1002)
      case 4  => (apply(0x09, some), 1002)
      case 5  => (apply(random.pick(Seq(0x00, 0x80)), some), 1002)
      case 6  => (apply(0x01, some) ++ apply(0x82, some), 1002)
      case 7  => (bare(0x82, 126, 0, 5), 1002)
      case 8  => (bare(0x82, 127, 0, 0, 0, 0, 0, 0, 255, 255), 1002)
      case 9  => (bare(0x82, 127, 128, 0, 0, 0, 0, 0, 0, 0), 1002)
      case 10 => (close(random.pick(Seq(0, 999, 1004, 1006, 1015, 2999, 5000)), ""), 1002)
      case 11 => (apply(0x88, Array[Byte](3)), 1002)
      case 12 => (apply(0x81, Array[Byte](65, -64, -128)), 1007)
      case 13 => (apply(0x01, Array[Byte](65, -30, -126)) ++ apply(0x80, some), 1007)
      case 14 => (apply(0x88, Array[Byte](3, -24, -1)), 1007)
      case 15 =>
        (bare(0x82, 127, 0, 0, 0, 0, (maxMessage + TooLong) >> 24, (maxMessage + TooLong) >> 16, 0, 0), 1009)
      case _ =>
        if (packs)
          if (random.percent(50)) (apply(0xc1, Array[Byte](6, 6, 6)), 1007)
          else (apply(0x42, some.take(0)) ++ apply(0xc0, some), 1002)
        else (apply(0xc1, some), 1002)
    }
  }

  /** A header alone. */
  private def bare(first: Int, second: Int, more: Int*): Array[Byte] =
    (Seq(first, second | (if (isClient) 0x80 else 0)) ++ more ++ (if (isClient) Seq(1, 2, 3, 4) else Nil))
      .map(_.toByte).toArray
}

object Frames {

  /** Beyond what compression may add, too. */
  private final val TooLong = 3 * 1024 * 1024

  def ascii(text: String): Array[Byte] = text.getBytes(ISO_8859_1)
}
