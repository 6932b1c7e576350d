package needletail.http.zlib

/** Deflaters of zlib, which cost 256 KB each, kept by thread for the next use. */
private[needletail] object Deflaters {

  /** Kept for each thread, at most. */
  private final val Most = 4

  private final class Kept {
    val deflaters = new Array[RawDeflater](Most)
    var count     = 0
  }

  private val kept = new ThreadLocal[Kept] {
    override def initialValue(): Kept = new Kept
  }

  /** One of raw deflate data; it has to be given back. */
  def take(level: Int): RawDeflater = {
    val mine = kept.get
    var i    = mine.count - 1
    while (i >= 0 && mine.deflaters(i).level != level) i -= 1
    if (i < 0) new RawDeflater(level)
    else {
      val found = mine.deflaters(i)
      mine.count -= 1
      mine.deflaters(i) = mine.deflaters(mine.count)
      mine.deflaters(mine.count) = null
      found
    }
  }

  /** To be called once for each that was taken, on any thread. */
  def give(deflater: RawDeflater): Unit = {
    val mine = kept.get
    if (mine.count == Most) deflater.end()
    else {
      deflater.reset()
      mine.deflaters(mine.count) = deflater
      mine.count += 1
    }
  }
}
