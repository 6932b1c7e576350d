package needletail.io

/** The phases of a [[Connection]], in this order. */
private[io] object ConnectionPhase {
  final val Open      = 0
  final val Flushing  = 1 // closing, output pending
  final val Lingering = 2 // closing, output ended, waiting for the peer to close
  final val Closed    = 3
}

/** How long, and of how many bytes, what still arrives is discarded while a [[Connection]] closes. */
private[io] final class Linger(val nanos: Long, var discardable: Int)
