package needletail.io.platform

/** Something that an event loop calls and notifies of its exceptions; see [[EventLoop]]. */
private[needletail] trait Fallible {

  /** A method of this object threw `cause`. The loop has already reported it. */
  private[needletail] def failed(cause: Throwable): Unit
}

/** Something that a [[Poller]] notifies of the readiness of a [[Descriptor]]. */
private[needletail] trait Pollable extends Fallible {

  /**
   * Ready for the bits of [[Interest]] set in `ready`, or `Interest.Failure` alone. May be called once more in the turn
   * in which it was forgotten.
   */
  private[needletail] def onReady(ready: Int): Unit

  /** The loop ends: release all descriptors. */
  private[needletail] def onLoopEnd(): Unit
}
