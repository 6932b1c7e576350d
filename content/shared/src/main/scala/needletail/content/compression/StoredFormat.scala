package needletail.content.compression

import java.util.zip.{Adler32, CRC32, Checksum}

/** The framing of uncompressed content in a coding: headers of the whole and of its blocks. */
private[compression] abstract class StoredFormat {

  /** Bytes of the longest block. */
  def longest: Int

  /** The header. */
  def begin: Array[Byte]

  /** The header of a block of `n` bytes, 1 to `longest`. */
  def block(n: Int): Array[Byte]

  /** The trailer. */
  def end: Array[Byte]

  def count(bytes: Array[Byte], from: Int, length: Int): Unit = ()
}

private[compression] object StoredFormat {
  def of(coding: String): StoredFormat = coding match {
    case "gzip"    => new Deflate(isGzip = true)
    case "deflate" => new Deflate(isGzip = false)
    case "br"      => Brotli
    case "zstd"    => Zstandard
  }

  private def bytes(values: Int*): Array[Byte] = values.map(_.toByte).toArray

  /** gzip (RFC 1952) or zlib (RFC 1950), with blocks by RFC 1951 §3.2.4. */
  private final class Deflate(isGzip: Boolean) extends StoredFormat {
    private val sums = new DeflateFrame(isGzip)

    val longest = 65535

    def begin: Array[Byte]         = sums.header
    def block(n: Int): Array[Byte] = bytes(0, n, n >>> 8, ~n, ~n >>> 8)
    def end: Array[Byte]           = bytes(1, 0, 0, 0xff, 0xff) ++ sums.trailer

    override def count(bytes: Array[Byte], from: Int, length: Int): Unit = sums.count(bytes, from, length)
  }

  /** RFC 7932 §9.2. Each head fills whole bytes, as uncompressed data begins at one. */
  private object Brotli extends StoredFormat {
    val longest = 65536

    // a window of 16 bits, and a block of metadata without any: ISLAST 0, MNIBBLES 3, reserved 0, MSKIPBYTES 0
    val begin: Array[Byte] = bytes(0x0c)

    // ISLAST 0, MNIBBLES 0, MLEN - 1 in 16 bits, ISUNCOMPRESSED 1
    def block(n: Int): Array[Byte] = {
      val bits = (n - 1) << 3 | 1 << 19
      bytes(bits, bits >>> 8, bits >>> 16)
    }

    val end: Array[Byte] = bytes(3) // ISLAST 1, ISLASTEMPTY 1
  }

  /** RFC 8878 §3.1.1. */
  private object Zstandard extends StoredFormat {
    val longest = 128 * 1024

    // the magic number, no flags, a window of 128 KB: 2^(10 + 7)
    val begin: Array[Byte] = bytes(0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3)

    def block(n: Int): Array[Byte] = bytes(n << 3, n << 3 >>> 8, n << 3 >>> 16) // not the last, raw

    val end: Array[Byte] = bytes(1, 0, 0) // the last, raw, of no bytes
  }
}

/** What gzip and zlib have before and after the data of deflate. */
private[compression] final class DeflateFrame(isGzip: Boolean) {
  private val checksum: Checksum = if (isGzip) new CRC32 else new Adler32
  private var size               = 0L

  def count(bytes: Array[Byte], from: Int, length: Int): Unit = {
    checksum.update(bytes, from, length)
    size += length
  }

  def header: Array[Byte] =
    if (isGzip) Array[Byte](0x1f, 0x8b.toByte, 8, 0, 0, 0, 0, 0, 0, 0xff.toByte) // of an unknown system
    else Array[Byte](0x78, 0x9c.toByte)

  def trailer: Array[Byte] = {
    val sum = checksum.getValue
    if (isGzip) Array.tabulate(8)(i => ((if (i < 4) sum else size) >>> (8 * (i & 3))).toByte)
    else Array.tabulate(4)(i => (sum >>> (24 - 8 * i)).toByte)
  }
}
