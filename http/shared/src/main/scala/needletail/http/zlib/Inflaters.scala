package needletail.http.zlib

/** Inflaters of raw data, which cost 40 KB each, kept by thread for the next use. */
private[needletail] object Inflaters {
  private val spares = SpareCoders.byThread[RawInflater]

  /** It has to be given back, or ended. */
  def take(): RawInflater = {
    val mine = spares.get
    if (mine.size == 0) new RawInflater else mine.remove(mine.size - 1)
  }

  /** To be called once for each that was taken, on any thread. */
  def give(inflater: RawInflater): Unit = spares.get.give(inflater)

  /** How many the calling thread keeps for the next use. */
  def spare: Int = spares.get.size
}
