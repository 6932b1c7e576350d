package needletail.content.compression

import java.util.concurrent.atomic.AtomicInteger
import java.util.zip.Inflater

/** Decoders of gzip, which counts how many have been made and how many have released what zlib holds. */
private[compression] final class CountedDecoders {
  val made, ended = new AtomicInteger

  def next(): InflatingDecoder = new InflatingDecoder(
    true,
    raw => {
      made.incrementAndGet()
      new Inflater(raw) {
        override def end(): Unit = {
          ended.incrementAndGet()
          super.end()
        }
      }
    }
  )
}
