package needletail.gateway.host.process

/** See Program.scala. */
private[host] object ExitHook {
  def add(hook: Thread): Unit = Runtime.getRuntime.addShutdownHook(hook)
}
