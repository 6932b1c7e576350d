package needletail.io.system

import java.util.concurrent.atomic.AtomicInteger

import needletail.io.kernel.{Kernel, KernelError, Prefetch}
import needletail.io.platform.{Descriptor, Interest, PlatformLoop, Pollable, Poller}

/**
 * See Platform.scala. Level-triggered as required there, on top of edge-triggered events: the kernel then does not
 * check descriptors again that have nothing left, and pausing and resuming costs no system call.
 *
 * What was reported is kept in `Descriptor.ready` until a system call shows that nothing is left: it returned
 * nothing, or less than asked for, which for a stream means the same (epoll(7), question 9). The exceptions are a
 * stream whose end or error has been reported, and urgent data, at whose mark a read stops. Until then the descriptor
 * is dispatched in every turn. (Reads also stop short if a peer sends descriptors through a Unix socket; it harms only
 * itself.)
 *
 * @param waker an eventfd, owned by this poller, that ends a wait
 */
private[io] abstract class KernelPoller(loop: PlatformLoop, waker: Int) extends Poller {
  import KernelPoller.*

  // By number; null: not registered. The waker has an entry too, so that its events find one.
  private var descriptors = new Array[Descriptor](math.max(64, waker + 1))
  private val events      = new Array[Long](MaxEvents)

  // Descriptors that may still be ready, for the next turn.
  private var queue      = new Array[Descriptor](64)
  private var queueSpare = new Array[Descriptor](64)
  private var queueSize  = 0

  /**
   * How many threads are about to wake this one. If negative, the waker is closed and its number may be in use again.
   */
  private val wakers = new AtomicInteger

  /**
   * Makes the kernel report changes of `interest` instead of its current interest, and once what is ready already; of
   * `Interest.Failure` nothing but errors and the end of both sides, which it always reports. Sets `watched`. Returns a
   * negative number on failure.
   */
  protected def watch(d: Descriptor, interest: Int): Int

  /** Stops watching `d`, if possible. If `isClosing`, `d` is closed next. */
  protected def unwatch(d: Descriptor, isClosing: Boolean): Unit

  /**
   * Waits for at most `max` events. Each has the descriptor in its upper 32 bits and, below, its token shifted by 8
   * and the event's bits. Returns how many; never negative.
   */
  protected def await(events: Array[Long], max: Int, timeoutMillis: Int): Int

  protected def closeKernelSide(): Unit

  final def register(d: Descriptor, source: Pollable, interest: Int): Unit = {
    if (d.fd >= descriptors.length)
      descriptors = java.util.Arrays.copyOf(descriptors, math.max(2 * descriptors.length, d.fd + 1))
    descriptors(d.fd) = d
    d.source = source
    d.interest = interest
    val result = update(d)
    if (result < 0) {
      release(d)
      KernelError.check(result)
      ()
    }
  }

  final def setInterest(d: Descriptor, interest: Int): Unit =
    if (interest != d.interest) {
      d.interest = interest
      follow(d)
    }

  /** Applies a new interest, or a watch that has ended. If `d` cannot be watched it is dispatched in each turn until it can. */
  private def follow(d: Descriptor): Unit = if (update(d) < 0) {
    d.ready |= d.interest
    enqueue(d)
  }

  /** Returns a negative number if `d` cannot be watched. */
  private def update(d: Descriptor): Int = {
    if ((d.ready & d.interest) != 0) enqueue(d)
    // Once watched for writing it stays so: with edge triggering, a change is reported only after a write that did
    // not fit.
    if ((d.interest & ~d.watched) != 0) watch(d, d.interest | d.watched) else 0
  }

  final def forget(d: Descriptor): Unit = remove(d, isClosing = true)

  final override def release(d: Descriptor): Unit = remove(d, isClosing = false)

  private def remove(d: Descriptor, isClosing: Boolean): Unit =
    if (d.fd >= 0 && d.fd < descriptors.length && (descriptors(d.fd) eq d)) {
      descriptors(d.fd) = null
      d.interest = Interest.None
      d.hasFailed = false
      if (d.watched != 0) unwatch(d, isClosing)
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
      val event = events(i)
      i += 1
      if (i < count) fetch(events(i))
      happened(event)
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

  /**
   * Where there are many connections, the objects of each have left the processor's cache when its turn comes, and waiting
   * for them one by one costs more than what is done with them. So those that are used first are fetched while the
   * connection before has its turn.
   */
  private def fetch(event: Long): Unit = Prefetch(descriptors((event >>> 32).toInt), ConnectionLines)

  private def happened(event: Long): Unit = {
    val d = descriptors((event >>> 32).toInt)
    // The token distinguishes successive descriptors with the same number.
    if ((d ne null) && d.token == (event.toInt >>> 8)) {
      val bits = event.toInt
      d.ready |= bits & (Interest.Read | Interest.Write)
      if ((bits & Unbounded) != 0) d.unbounded = true
      if ((bits & Interest.Failure) != 0) d.hasFailed = true
      if ((bits & Ended) != 0) d.watched = Interest.None
      if (!d.queued) serve(d)
    }
  }

  private def serve(d: Descriptor): Unit = {
    val now = d.ready & d.interest
    if (now != 0) loop.dispatch(d.source, now)
    else if (d.interest == 0 && (d.watched & ~Interest.Failure) != 0) watchForFailure(d)
    if (d.hasFailed && d.interest == 0) {
      d.hasFailed = false
      loop.dispatch(d.source, Interest.Failure)
    }
    // Usually nothing is left now, and it is still watched.
    if ((d.interest & (d.ready | ~d.watched)) != 0) follow(d)
  }

  /** What is ready would wake the loop again, though nobody wants it. */
  private def watchForFailure(d: Descriptor): Unit =
    if (watch(d, Interest.Failure) < 0 && d.watched != 0) unwatch(d, isClosing = false)

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
  private[io] final val MaxEvents = 256 // as in needletail_io_poll.c

  /** A socket, its connection, that one's input and output: some 400 bytes, created one after the other. */
  private final val ConnectionLines = 7

  // Bits of an event, in addition to those of Interest.
  private final val Unbounded = 8  // a short read does not mean that nothing is left
  private final val Ended     = 16 // the watch has ended: nothing more will be reported
}
