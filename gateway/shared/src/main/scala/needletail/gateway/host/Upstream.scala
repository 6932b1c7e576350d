package needletail.gateway.host

import needletail.io.Address

/**
 * Where requests are forwarded to: the address of a FastCGI or SCGI server, several addresses, or processes that this
 * program starts ([[Workers]]). A `needletail.io.Address` is converted implicitly.
 */
abstract class Upstream private[host] () {
  private[host] def addresses: Seq[Address]

  /** Whether they are processes of this program, so that one that cannot be reached will be restarted soon. */
  private[host] def isOurs: Boolean

  /** Whether a request may be sent to that address. */
  private[host] def isReady(index: Int): Boolean

  /** The server at that address has sent a complete response. */
  private[host] def worked(index: Int): Unit

  /** Which process serves at that address, as they are replaced by others; 0 if that is not known. */
  private[host] def process(index: Int): Long = 0

  /** That process did not respond in time. */
  private[host] def stuck(index: Int, process: Long): Unit

  /** How many processes of this program run, and how many restarts there were; None if it starts none. */
  private[host] def processes: Option[(Int, Int)] = None
}

object Upstream {

  /** Each request goes to the address with the fewest requests in flight. */
  def apply(first: Address, more: Address*): Upstream = new Upstream {
    private[host] val addresses: Seq[Address]                = first +: more
    private[host] def isOurs: Boolean                        = false
    private[host] def isReady(index: Int): Boolean           = true
    private[host] def worked(index: Int): Unit               = ()
    private[host] def stuck(index: Int, process: Long): Unit = ()
  }

  /** One address. */
  implicit def at(address: Address): Upstream = Upstream(address)
}
