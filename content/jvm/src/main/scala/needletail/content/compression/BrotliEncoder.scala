package needletail.content.compression

import com.aayushatharva.brotli4j.Brotli4jLoader
import com.aayushatharva.brotli4j.encoder.Encoder.Mode
import com.aayushatharva.brotli4j.encoder.EncoderJNI.{Operation, Wrapper}

import java.nio.ByteBuffer

/** Brotli (RFC 7932), by brotli4j. */
private[compression] final class BrotliEncoder(level: Int, size: Int) extends Encoder {
  import BrotliEncoder._
  private val window  = if (size < 0) Encoder.Window else windowFor(size)
  private val encoder = new Wrapper(InputSize, level, window, Mode.GENERIC)

  private var input: Array[Byte] = null
  private var from, until        = 0
  private var output: ByteBuffer = null // what the library has written and nobody has taken
  private var isLast             = false

  def take(bytes: Array[Byte], from: Int, length: Int): Unit = {
    input = bytes
    this.from = from
    until = from + length
  }

  def encode(out: Array[Byte], at: Int, room: Int, flush: Boolean): Int = {
    var done  = 0
    var begun = false // the operation that ends what has been put in
    var more  = true
    while (more && done < room)
      if (output != null && output.hasRemaining) {
        val count = Math.min(room - done, output.remaining)
        output.get(out, at + done, count)
        done += count
      } else if (!encoder.isSuccess) throw new IllegalStateException("brotli failed")
      else if (encoder.hasMoreOutput) output = encoder.pull()
      else if (from < until) {
        val count = Math.min(InputSize, until - from)
        put(count)
        encoder.push(Operation.PROCESS, count)
        from += count
      } else if (encoder.hasRemainingInput) encoder.push(Operation.PROCESS, 0)
      else if (!begun && (isLast && !encoder.isFinished || flush && !isLast)) {
        begun = true
        encoder.push(if (isLast) Operation.FINISH else Operation.FLUSH, 0)
      } else more = false
    done
  }

  private def put(count: Int): Unit = {
    val buffer = encoder.getInputBuffer
    buffer.clear()
    buffer.put(input, from, count)
    ()
  }

  def finish(): Unit = isLast = true

  def isFinished: Boolean =
    isLast && encoder.isFinished && !encoder.hasMoreOutput && (output == null || !output.hasRemaining)

  def close(): Unit = encoder.destroy()
}

private[compression] object BrotliEncoder {
  private final val InputSize = 16 * 1024

  /** Throws a LinkageError if it is not there. */
  def load(): Unit = Brotli4jLoader.ensureAvailability()

  private def windowFor(size: Int): Int =
    Math.max(10, Math.min(Encoder.Window, 32 - Integer.numberOfLeadingZeros(size)))
}
