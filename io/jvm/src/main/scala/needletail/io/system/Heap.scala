package needletail.io.system

/** See Platform.scala. */
private[needletail] object Heap {
  def limit: Long = Runtime.getRuntime.maxMemory
}
