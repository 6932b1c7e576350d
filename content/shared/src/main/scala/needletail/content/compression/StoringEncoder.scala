package needletail.content.compression

/** Writes the format of a coding, with all content uncompressed. Needs memory only for the current piece. */
private[compression] final class StoringEncoder(format: StoredFormat) extends Encoder {
  private var frame    = format.begin // of the format, as far as it has not been written
  private var framed   = 0
  private var input    = new Array[Byte](0)
  private var from     = 0
  private var until    = 0
  private var block    =
    0 // bytes of the input that belong to the block whose head has been written or is in `frame`
  private var ending   = false
  private var isEnding = false

  def take(bytes: Array[Byte], from: Int, length: Int): Unit = {
    input = bytes
    this.from = from
    until = from + length
    format.count(bytes, from, length)
  }

  def encode(out: Array[Byte], at: Int, room: Int, flush: Boolean): Int = {
    var done = 0
    var more = true
    while (more && done < room) {
      val isFrame = framed < frame.length
      val n       = Math.min(room - done, if (isFrame) frame.length - framed else block)
      if (isFrame) {
        System.arraycopy(frame, framed, out, at + done, n)
        framed += n
      } else if (n > 0) {
        System.arraycopy(input, from, out, at + done, n)
        from += n
        block -= n
      } else if (from < until) {
        block = Math.min(until - from, format.longest)
        head(format.block(block))
      } else if (ending && !isEnding) {
        isEnding = true
        head(format.end)
      } else more = false
      done += n
    }
    done
  }

  private def head(bytes: Array[Byte]): Unit = {
    frame = bytes
    framed = 0
  }

  def finish(): Unit      = ending = true
  def isFinished: Boolean = isEnding && framed == frame.length
  def close(): Unit       = ()
}
