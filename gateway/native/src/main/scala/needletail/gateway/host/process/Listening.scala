package needletail.gateway.host.process

/** See Program.scala. */
private[host] final class Listening(private[host] val fd: Int) {
  def close(): Unit = HostKernel.close(fd)
}
