package needletail.gateway.host.process

/** See Program.scala. */
private[host] object ExitHook {

  /** With a shutdown hook, Scala Native's runtime would handle SIGTERM and SIGINT itself and end the process. */
  def add(hook: Thread): Unit = synchronized {
    HostKernel.signals(0)
    try Runtime.getRuntime.addShutdownHook(hook)
    finally HostKernel.signals(1)
  }
}
