package needletail.http.zlib

/** Deflaters of zlib, which cost 256 KB each, kept by thread for the next use. */
private[needletail] object Deflaters {
  private val spares = SpareCoders.byThread[RawDeflater]

  /** One of raw deflate data; it has to be given back. */
  def take(level: Int): RawDeflater = {
    val mine = spares.get
    var i    = mine.size - 1
    while (i >= 0 && mine(i).level != level) i -= 1
    if (i < 0) new RawDeflater(level) else mine.remove(i)
  }

  /** To be called once for each that was taken, on any thread. */
  def give(deflater: RawDeflater): Unit = spares.get.give(deflater)

  /** How many the calling thread keeps for the next use. */
  def spare: Int = spares.get.size
}
