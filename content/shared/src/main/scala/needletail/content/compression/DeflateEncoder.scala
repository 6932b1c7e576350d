package needletail.content.compression

import needletail.http.zlib.Deflaters

/** gzip (RFC 1952), or zlib (RFC 1950), which is what the coding "deflate" is. */
private[compression] final class DeflateEncoder(isGzip: Boolean, level: Int) extends Encoder {
  private val sums     = new DeflateFrame(isGzip)
  private val deflater = Deflaters.take(level)

  // the header or the trailer, as far as it has not been written
  private var frame    = sums.header
  private var framed   = 0
  private var isEnding = false
  private var isOver   = false

  def take(bytes: Array[Byte], from: Int, length: Int): Unit = {
    sums.count(bytes, from, length)
    deflater.setInput(bytes, from, length)
  }

  def encode(out: Array[Byte], at: Int, room: Int, flush: Boolean): Int = {
    var done = writeFrame(out, at, room)
    if (done < room && !isEnding) {
      done += deflater.deflate(out, at + done, room - done, flush)
      if (deflater.finished) {
        isEnding = true
        frame = sums.trailer
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
}
