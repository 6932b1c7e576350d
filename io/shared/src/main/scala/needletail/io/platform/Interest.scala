package needletail.io.platform

/** The kinds of readiness that a [[Pollable]] waits for and is notified of. A set of them is the sum of their bits. */
private[needletail] object Interest {
  // Values that epoll and java.nio share, so that sets need no conversion.
  final val None  = 0
  final val Read  = 1 // or accept
  final val Write = 4 // or connect

  /** Not to be waited for: see `Poller.setInterest`. */
  final val Failure = 2
}
