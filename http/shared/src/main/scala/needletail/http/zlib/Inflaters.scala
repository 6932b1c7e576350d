package needletail.http.zlib

/** Inflaters of raw data, which cost 40 KB each, kept by thread for the next use. */
private[needletail] object Inflaters {

  /** Kept for each thread, at most. */
  private final val Most = 4

  private final class Kept {
    val inflaters = new Array[RawInflater](Most)
    var count     = 0
  }

  private val kept = new ThreadLocal[Kept] {
    override def initialValue(): Kept = new Kept
  }

  /** It has to be given back, or ended. */
  def take(): RawInflater = {
    val mine = kept.get
    if (mine.count == 0) new RawInflater
    else {
      mine.count -= 1
      val found = mine.inflaters(mine.count)
      mine.inflaters(mine.count) = null
      found
    }
  }

  /** To be called once for each that was taken, on any thread. */
  def give(inflater: RawInflater): Unit = {
    val mine = kept.get
    if (mine.count == Most) inflater.end()
    else {
      inflater.reset()
      mine.inflaters(mine.count) = inflater
      mine.count += 1
    }
  }
}
