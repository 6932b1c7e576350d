package needletail.content.compression

import com.aayushatharva.brotli4j.decoder.DecoderJNI.{Status, Wrapper}

import java.nio.ByteBuffer

/** Brotli (RFC 7932), by brotli4j. Data after the end is ignored, because the library does not report it. */
private[compression] final class BrotliDecoder extends PiecewiseDecoder {
  import BrotliDecoder._
  private val decoder = new Wrapper(InputSize)

  private var output: ByteBuffer = null // what the library has written and nobody has taken

  def decode(out: Array[Byte]): Int = {
    var done = 0
    var more = true
    while (more && done < out.length)
      if (output != null && output.hasRemaining) {
        val count = Math.min(out.length - done, output.remaining)
        output.get(out, done, count)
        done += count
      } else if (decoder.hasOutput) output = decoder.pull()
      else
        decoder.getStatus match {
          case Status.NEEDS_MORE_INPUT => if (from < until) push() else more = false
          case Status.OK               => decoder.push(0)
          case Status.DONE             =>
            from = until
            more = false
          case _ => throw Decoder.malformed
        }
    done
  }

  private def push(): Unit = {
    val count  = Math.min(InputSize, until - from)
    val buffer = decoder.getInputBuffer
    buffer.clear()
    buffer.put(input, from, count)
    from += count
    decoder.push(count)
  }

  def mayEnd: Boolean = decoder.getStatus == Status.DONE

  def close(): Unit = decoder.destroy()
}

private[compression] object BrotliDecoder {
  private final val InputSize = 16 * 1024
}
