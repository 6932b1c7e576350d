package needletail.content.compression

import java.util.zip.{Adler32, CRC32, Checksum}

/** gzip (RFC 1952), or zlib (RFC 1950), which is what the coding "deflate" is. */
private[compression] final class DeflateEncoder(isGzip: Boolean, level: Int) extends Encoder {
  private val checksum: Checksum = if (isGzip) new CRC32 else new Adler32
  private var size               = 0L
  private val deflater           = Deflaters.take(level)

  // the header or the trailer, as far as it has not been written
  private var frame    = header
  private var framed   = 0
  private var isEnding = false
  private var isOver   = false

  def take(bytes: Array[Byte], from: Int, length: Int): Unit = {
    checksum.update(bytes, from, length)
    size += length
    deflater.setInput(bytes, from, length)
  }

  def encode(out: Array[Byte], at: Int, room: Int, flush: Boolean): Int = {
    var done = writeFrame(out, at, room)
    if (done < room && !isEnding) {
      done += deflater.deflate(out, at + done, room - done, flush)
      if (deflater.finished) {
        isEnding = true
        frame = trailer
        framed = 0
        done += writeFrame(out, at + done, room - done)
      }
    }
    if (isEnding && framed == frame.length) isOver = true
    done
  }

  private def writeFrame(out: Array[Byte], at: Int, room: Int): Int = {
    val count = Math.min(room, frame.length - framed)
    System.arraycopy(frame, framed, out, at, count)
    framed += count
    count
  }

  def finish(): Unit      = deflater.finish()
  def isFinished: Boolean = isOver
  def close(): Unit       = Deflaters.give(deflater)

  private def header: Array[Byte] =
    if (isGzip) Array[Byte](0x1f, 0x8b.toByte, 8, 0, 0, 0, 0, 0, 0, 0xff.toByte) // of an unknown system
    else Array[Byte](0x78, 0x9c.toByte)

  private def trailer: Array[Byte] = {
    val sum = checksum.getValue
    if (isGzip) Array.tabulate(8)(i => ((if (i < 4) sum else size) >>> (8 * (i & 3))).toByte)
    else Array.tabulate(4)(i => (sum >>> (24 - 8 * i)).toByte)
  }
}
