package needletail.gateway.host.upstream

/** The connection to a FastCGI or SCGI server was lost, or cannot be used, before the answer was complete. */
private[host] final class PeerLost(message: String) extends java.io.IOException(message) {
  override def fillInStackTrace(): Throwable = this
}
