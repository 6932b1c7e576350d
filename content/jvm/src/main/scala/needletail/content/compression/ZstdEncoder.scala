package needletail.content.compression

import com.github.luben.zstd.{EndDirective, ZstdCompressCtx}

import java.nio.ByteBuffer

/** Zstandard (RFC 8878), by zstd-jni. */
private[compression] final class ZstdEncoder private (val level: Int) extends Encoder {
  import ZstdEncoder._
  private val context = new ZstdCompressCtx().setLevel(level).setWindowLog(Encoder.Window)
  private val input   = ByteBuffer.allocateDirect(BufferSize)
  private val output  = ByteBuffer.allocateDirect(BufferSize)

  private var bytes: Array[Byte] = null
  private var from, until        = 0
  private var isLast, isEnded    = false

  private def begin(size: Int): Unit = {
    context.reset()
    context.setLevel(level).setWindowLog(Encoder.Window)
    if (size >= 0) context.setPledgedSrcSize(size.toLong)
    input.position(0).limit(0)
    output.position(0).limit(0)
    isLast = false
    isEnded = false
    take(null, 0, 0)
  }

  def take(bytes: Array[Byte], from: Int, length: Int): Unit = {
    this.bytes = bytes
    this.from = from
    until = from + length
  }

  def encode(out: Array[Byte], at: Int, room: Int, flush: Boolean): Int = {
    var done = 0
    var more = true
    while (more && done < room)
      if (output.hasRemaining) {
        val count = Math.min(room - done, output.remaining)
        output.get(out, at + done, count)
        done += count
      } else if (isEnded) more = false
      else more = step(flush)
    done
  }

  /** Compresses; whether there is more to do. */
  private def step(flush: Boolean): Boolean = {
    if (!input.hasRemaining && from < until) {
      val count = Math.min(BufferSize, until - from)
      input.clear()
      input.put(bytes, from, count)
      input.flip()
      from += count
    }
    val isAll = from == until
    val how   =
      if (isAll && isLast) EndDirective.END
      else if (isAll && flush) EndDirective.FLUSH else EndDirective.CONTINUE
    output.clear()
    val isDone = context.compressDirectByteBufferStream(output, input, how)
    output.flip()
    if (isDone && how == EndDirective.END) isEnded = true
    output.hasRemaining || input.hasRemaining || !isAll || (!isDone && how != EndDirective.CONTINUE)
  }

  def finish(): Unit      = isLast = true
  def isFinished: Boolean = isEnded && !output.hasRemaining
  def close(): Unit       = give(this)
}

private[compression] object ZstdEncoder {
  private final val BufferSize = 32 * 1024
  private final val Most       = 4 // kept for each thread

  private val kept = ThreadLocal.withInitial(() => new java.util.ArrayDeque[ZstdEncoder](Most))

  /** Throws a LinkageError if it is not there. */
  def load(): Unit = com.github.luben.zstd.util.Native.load()

  /** One of those that were closed on this thread, as making one costs more than compressing a page. */
  def take(level: Int, size: Int): ZstdEncoder = {
    val last    = kept.get.pollLast()
    val encoder =
      if (last != null && last.level == level) last
      else {
        if (last != null) last.context.close()
        new ZstdEncoder(level)
      }
    encoder.begin(size)
    encoder
  }

  private def give(encoder: ZstdEncoder): Unit =
    if (kept.get.size < Most) { kept.get.addLast(encoder); () }
    else encoder.context.close()
}
