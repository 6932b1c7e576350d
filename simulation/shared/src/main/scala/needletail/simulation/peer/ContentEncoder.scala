package needletail.simulation.peer

import java.util.zip.{Adler32, CRC32, Checksum}

import needletail.http.zlib.Deflaters
import needletail.simulation.world.SeededRandom

/** Writes contents in the codings gzip and deflate, well and badly. */
final class ContentEncoder(random: SeededRandom) {

  private var isTight = false

  /** Content that becomes small. */
  def tightly(coding: String, content: Array[Byte]): Array[Byte] = {
    isTight = true
    try apply(coding, content)
    finally isTight = false
  }

  /** In several members at times, if it is gzip. */
  def apply(coding: String, content: Array[Byte]): Array[Byte] =
    if (coding != "gzip") zlib(content)
    else if (random.percent(80)) member(content)
    else {
      val cut = random.below(content.length + 1)
      member(content.take(cut)) ++ member(content.drop(cut))
    }

  /** The same, malformed or incomplete. */
  def badly(coding: String, content: Array[Byte]): Array[Byte] = {
    val good = apply(coding, content)
    random.below(4) match {
      case 0 => good.take(1 + random.below(good.length - 1))
      case 1 => good :+ 7.toByte
      case 2 => // a wrong checksum
        val at = good.length - (if (coding == "gzip") 5 else 1)
        good.updated(at, (good(at) ^ 0x55).toByte)
      case _ => (random.below(31) +: good.map(_.toInt)).map(_.toByte).toArray // shifted: no header
    }
  }

  private def member(content: Array[Byte]): Array[Byte] = {
    val name   = if (random.percent(20)) "name\u0000".getBytes("US-ASCII") else Array.emptyByteArray
    val header = Array[Byte](0x1f, 0x8b.toByte, 8, if (name.isEmpty) 0 else 8, 0, 0, 0, 0, 0, 3)
    header ++ name ++ raw(content) ++ little(sum(new CRC32, content)) ++ little(content.length.toLong)
  }

  private def zlib(content: Array[Byte]): Array[Byte] =
    Array[Byte](0x78, 0x01) ++ raw(content) ++ little(sum(new Adler32, content)).reverse

  private def sum(of: Checksum, content: Array[Byte]): Long = {
    of.update(content, 0, content.length)
    of.getValue
  }

  private def little(n: Long): Array[Byte] = Array.tabulate(4)(i => (n >>> (8 * i)).toByte)

  /** By zlib, or in blocks that are not compressed (RFC 1951 §3.2.4). */
  private def raw(content: Array[Byte]): Array[Byte] =
    if (isTight || random.percent(60)) {
      val deflater = Deflaters.take(1 + random.below(9))
      try {
        val out = new Array[Byte](content.length + content.length / 100 + 100)
        var n   = 0
        deflater.setInput(content, 0, content.length)
        deflater.finish()
        while (!deflater.finished) n += deflater.deflate(out, n, out.length - n, flush = false)
        out.take(n)
      } finally Deflaters.give(deflater)
    } else {
      ContentEncoder.stored(random, content) ++ Array[Byte](1, 0, 0, -1, -1)
    }
}

object ContentEncoder {

  /** Deflate data in blocks that are not compressed, of random sizes, without a last one (RFC 1951 §3.2.4). */
  def stored(random: SeededRandom, content: Array[Byte]): Array[Byte] = {
    val out = new java.io.ByteArrayOutputStream
    var at  = 0
    while (at < content.length) {
      val n = math.min(random.skewed(65535), content.length - at)
      out.write(Array(0, n, n >> 8, ~n, ~n >> 8).map(_.toByte))
      out.write(content, at, n)
      at += n
    }
    out.toByteArray
  }
}
