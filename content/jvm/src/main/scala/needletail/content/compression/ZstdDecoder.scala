package needletail.content.compression

import com.github.luben.zstd.{ZstdDirectBufferDecompressingStreamNoFinalizer, ZstdIOException}

import java.nio.ByteBuffer

/** Zstandard (RFC 8878), also of several frames, by zstd-jni. */
private[compression] final class ZstdDecoder extends PiecewiseDecoder {
  import ZstdDecoder._
  private val source = ByteBuffer.allocateDirect(BufferSize).limit(0)
  private val target = ByteBuffer.allocateDirect(BufferSize)
  private var frames = open()

  private def open() = {
    val stream = new ZstdDirectBufferDecompressingStreamNoFinalizer(source)
    stream.setLongMax(Decoder.Window)
    stream
  }

  def decode(out: Array[Byte]): Int = {
    var done = 0
    var more = true
    while (more && done == 0) {
      if (!source.hasRemaining && from < until) feed()
      target.clear().limit(Math.min(BufferSize, out.length))
      try if (frames.hasRemaining) frames.read(target)
      catch { case _: ZstdIOException => throw Decoder.malformed }
      target.flip()
      done = target.remaining
      more = source.hasRemaining || from < until
      target.get(out, 0, done)
    }
    done
  }

  private def feed(): Unit = {
    val count = Math.min(BufferSize, until - from)
    source.clear()
    source.put(input, from, count).flip()
    from += count
    if (!frames.hasRemaining) { // the last frame ended with what was there; another one follows
      frames.close()
      frames = open()
    }
  }

  def mayEnd: Boolean = !frames.hasRemaining

  def close(): Unit = frames.close()
}

private[compression] object ZstdDecoder {
  private final val BufferSize = 16 * 1024
}
