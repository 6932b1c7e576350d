package needletail.io.tls

/** Tells a failure that is to be logged from the one before that has come again, for so long. Thread-safe. */
private[needletail] final class RepeatedFailure(nanos: Long) {
  private var last = "" // none
  private var at   = 0L

  def forget(): Unit = synchronized { last = "" }

  def isNew(text: String): Boolean = synchronized {
    val now = System.nanoTime
    val is  = text != last || now - at >= nanos
    if (is) {
      last = text
      at = now
    }
    is
  }
}
