package needletail.simulation.reader

import java.util.zip.{Adler32, CRC32, DataFormatException}

import needletail.http.zlib.RawInflater

/** Decodes whole contents, as strictly as RFC 1950 and RFC 1952: one member, nothing behind it, the right sums. */
object StrictDecoder {

  /** The content; Left says what is wrong. */
  def apply(coding: String, bytes: Array[Byte]): Either[String, Array[Byte]] = coding match {
    case "gzip" =>
      if (bytes.length < 18) Left(s"only ${bytes.length} bytes")
      else if (!bytes.take(4).sameElements(Seq[Byte](0x1f, 0x8b.toByte, 8, 0))) Left("no header of gzip")
      else
        inflated(bytes, 10, 8).flatMap { content =>
          val crc = new CRC32
          crc.update(content, 0, content.length)
          if (little(bytes, bytes.length - 8) != crc.getValue) Left("another checksum")
          else if (little(bytes, bytes.length - 4) != content.length) Left("another length")
          else Right(content)
        }
    case "deflate" =>
      if (bytes.length < 8) Left(s"only ${bytes.length} bytes")
      else if (bytes(0) != 0x78 || ((bytes(0) & 0xff) * 256 + (bytes(1) & 0xff)) % 31 != 0)
        Left("no header of zlib")
      else
        inflated(bytes, 2, 4).flatMap { content =>
          val sum = new Adler32
          sum.update(content, 0, content.length)
          val read = bytes.takeRight(4).foldLeft(0L)((n, b) => n << 8 | b & 0xff)
          if (read != sum.getValue) Left("another checksum") else Right(content)
        }
    case other => Left(s"the coding $other")
  }

  private def little(bytes: Array[Byte], at: Int): Long =
    (0 until 4).map(i => (bytes(at + i) & 0xffL) << (8 * i)).sum

  private def inflated(bytes: Array[Byte], head: Int, trailer: Int): Either[String, Array[Byte]] = {
    val inflater = new RawInflater
    try {
      val out  = new java.io.ByteArrayOutputStream
      val room = new Array[Byte](65536)
      inflater.setInput(bytes, head, bytes.length - head - trailer)
      var n = 1
      while (n > 0) {
        n = inflater.inflate(room, 0, room.length)
        out.write(room, 0, n)
      }
      if (!inflater.finished) Left("no end")
      else if (inflater.remaining > 0) Left("more behind its end")
      else Right(out.toByteArray)
    } catch { case e: DataFormatException => Left(s"no deflate data: $e") }
    finally inflater.end()
  }
}
