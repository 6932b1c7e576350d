package needletail.io.platform

/** A listening socket, TCP or Unix, in non-blocking mode. */
private[needletail] abstract class ListenSocket extends Descriptor {

  /**
   * The next connection; null if there is none now. Skips connections that broke in the backlog. Throws IOException if
   * descriptors or memory have run out.
   */
  def accept(): Socket

  /** The bound port; 0 for a Unix socket. */
  def port: Int

  /** As `Socket.localAddress`. */
  def localAddress: String
}
