package needletail.async

/** Platform contract: who is in every program calls `need`. The JVM needs no mending. */
private[async] object Mended {
  def need(): Unit = ()
}
