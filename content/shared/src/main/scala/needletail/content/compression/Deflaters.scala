package needletail.content.compression

import java.util.zip.Deflater

/** Deflaters of zlib, which cost 256 KB each, kept by thread for the next use. */
private[compression] object Deflaters {

  /** Kept for each thread, at most. */
  private final val Most = 4

  private final class Kept {
    val deflaters = new Array[Deflater](Most)
    var count     = 0
  }

  private val kept = new ThreadLocal[Kept] {
    override def initialValue(): Kept = new Kept
  }

  /** One of raw deflate data; it has to be given back. */
  def take(level: Int): Deflater = {
    val mine     = kept.get
    val deflater =
      if (mine.count == 0) new Deflater(level, true)
      else {
        mine.count -= 1
        val last = mine.deflaters(mine.count)
        mine.deflaters(mine.count) = null
        last
      }
    deflater.setLevel(level)
    deflater
  }

  /** To be called once for each that was taken, on any thread. */
  def give(deflater: Deflater): Unit = {
    val mine = kept.get
    if (mine.count == Most) deflater.end()
    else {
      deflater.reset()
      mine.deflaters(mine.count) = deflater
      mine.count += 1
    }
  }
}
