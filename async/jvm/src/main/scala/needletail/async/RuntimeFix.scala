package needletail.async

/** Platform contract: code that every program runs calls `need`. Nothing to do on the JVM. */
private[async] object RuntimeFix {
  def need(): Unit = ()
}
