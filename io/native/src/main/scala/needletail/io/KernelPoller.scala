package needletail.io

import java.util.concurrent.atomic.AtomicInteger

/**
 * See Platform.scala. Level-triggered, as that asks for, on top of a kernel that is asked to report each change once:
 * it need not look again then at what has been used up, and pausing and going on costs no system call.
 *
 * What was reported is kept in `Descriptor.ready` until a system call says that it is used up: nothing to be had, or
 * less than asked for, which for a stream means the same (epoll(7), question 9), except after the end of the stream
 * or an error has been reported, and where urgent data is under way, at whose mark a read stops. Until then the
 * descriptor comes up again in every turn. (A peer that sends descriptors through a Unix socket makes reads
 * stop short as well; it harms only itself.)
 *
 * @param waker an eventfd of its own that ends a wait
 */
private[io] abstract class KernelPoller(loop: EventLoop, waker: Int) extends Poller {
  import KernelPoller.*

  // By number; null: not registered, as the waker, which has a place here so that its events find one.
  private var descriptors = new Array[Descriptor](math.max(64, waker + 1))
  private val events      = new Array[Long](MaxEvents)

  // Those with something left over, for the next turn.
  private var queue      = new Array[Descriptor](64)
  private var queueSpare = new Array[Descriptor](64)
  private var queueSize  = 0

  /** How many threads are about to wake this one; from below zero on it is closed and its number may be another's. */
  private val wakers = new AtomicInteger

  /**
   * Has the kernel report changes of `interest` instead of what it does now, and once what is there already. Sets
   * `watched`. Below zero: it could not.
   */
  protected def watch(d: Descriptor, interest: Int): Int

  /** Ends that, if it can. `isClosing`: closing the descriptor follows. */
  protected def unwatch(d: Descriptor, isClosing: Boolean): Unit

  /**
   * Waits for events, `max` at most: the descriptor in the upper 32 bits, in the lower ones its token, shifted by 8,
   * and the bits below. Not below zero: how many.
   */
  protected def await(events: Array[Long], max: Int, timeoutMillis: Int): Int

  protected def closeKernelSide(): Unit

  final def register(d: Descriptor, source: Pollable, interest: Int): Unit = {
    if (d.fd >= descriptors.length)
      descriptors = java.util.Arrays.copyOf(descriptors, math.max(2 * descriptors.length, d.fd + 1))
    descriptors(d.fd) = d
    d.source = source
    setInterest(d, interest)
  }

  final def setInterest(d: Descriptor, interest: Int): Unit =
    if (interest != d.interest) {
      d.interest = interest
      KernelError.check(update(d))
      ()
    }

  /** What follows from a new interest, or from a watch that has ended. Below zero: it cannot be watched. */
  private def update(d: Descriptor): Int = {
    if ((d.ready & d.interest) != 0) enqueue(d)
    // Once watched for writing it stays so: the kernel reports that only to who has been told to wait.
    if ((d.interest & ~d.watched) != 0) watch(d, d.interest | d.watched) else 0
  }

  final def forget(d: Descriptor): Unit =
    if (d.fd < descriptors.length && (descriptors(d.fd) eq d)) {
      descriptors(d.fd) = null
      d.interest = Interest.None
      if (d.watched != 0) unwatch(d, isClosing = true)
    }

  final def poll(timeoutMillis: Int): Unit = {
    val left = queue
    val size = queueSize
    queue = queueSpare
    queueSize = 0
    queueSpare = left
    val count = await(events, MaxEvents, if (size > 0) 0 else timeoutMillis)
    var i     = 0
    while (i < count) {
      happened(events(i))
      i += 1
    }
    i = 0
    while (i < size) {
      val d = left(i)
      left(i) = null
      d.queued = false
      serve(d)
      i += 1
    }
  }

  private def happened(event: Long): Unit = {
    val d = descriptors((event >>> 32).toInt)
    // The token tells apart descriptors that had the same number one after the other.
    if ((d ne null) && d.token == (event.toInt >>> 8)) {
      val bits = event.toInt
      d.ready |= bits & (Interest.Read | Interest.Write)
      if ((bits & Unbounded) != 0) d.unbounded = true
      if ((bits & Ended) != 0) d.watched = Interest.None
      if (!d.queued) serve(d)
    }
  }

  private def serve(d: Descriptor): Unit = {
    val now = d.ready & d.interest
    if (now != 0) loop.dispatch(d.source, now)
    else if (d.interest == 0 && d.watched != 0) unwatch(d, isClosing = false) // or it would go on to wake us
    // Mostly it is used up now, and watched still.
    if ((d.interest & (d.ready | ~d.watched)) != 0 && update(d) < 0) {
      // Looked at in each turn until it can be watched again.
      d.ready |= d.interest
      enqueue(d)
    }
  }

  private def enqueue(d: Descriptor): Unit =
    if (!d.queued) {
      d.queued = true
      if (queueSize == queue.length) queue = java.util.Arrays.copyOf(queue, 2 * queueSize)
      queue(queueSize) = d
      queueSize += 1
    }

  final def wakeUp(): Unit = {
    if (wakers.incrementAndGet() > 0) { Kernel.wake(waker); () }
    wakers.decrementAndGet()
    ()
  }

  final def foreach(f: Pollable => Unit): Unit = {
    val all = descriptors
    var i   = 0
    while (i < all.length) {
      if (all(i) ne null) f(all(i).source)
      i += 1
    }
  }

  final def close(): Unit = {
    wakers.addAndGet(Int.MinValue)
    while (wakers.get() != Int.MinValue) Thread.`yield`()
    closeKernelSide()
    Kernel.close(waker)
    ()
  }
}

private[io] object KernelPoller {
  private[io] final val MaxEvents = 256 // as in needletail_io.c

  // Bits of an event, beside those of Interest.
  private final val Unbounded = 8  // a short read does not mean that nothing is left
  private final val Ended     = 16 // nothing more will be reported: the watch is over

  /** The one asked for; where the system does not allow it, epoll. */
  def open(loop: EventLoop, kind: PollerKind): Poller = {
    val waker = KernelError.check(Kernel.wakeOpen())
    try
      kind.chosen match {
        case PollerKind.IoUring =>
          val ring = UringPoller.openRing(waker)
          if (ring eq null) new EpollPoller(loop, waker) else new UringPoller(loop, waker, ring)
        case _ => new EpollPoller(loop, waker)
      }
    catch {
      case e: Throwable =>
        Kernel.close(waker)
        throw e
    }
  }
}
