package needletail.io

import scala.scalanative.unsafe.*

/**
 * The poller on io_uring: what is to be watched goes to the kernel with the wait, so that a turn makes one system call
 * however many connections came and went. See needletail_uring.c, and docs/decisions/0006-io-uring.md for what that
 * is worth.
 *
 * The kernel's request keeps its descriptor open, closed or not, until it has been cancelled, which takes until the
 * next wait; so a connection's end reaches its peer then. What an old request still reports is known by its token.
 */
private[io] final class UringPoller(loop: EventLoop, waker: Int, ring: Ptr[Byte])
    extends KernelPoller(loop, waker) {
  private var tokens = 0 // the latest

  def name: String = PollerKind.IoUring.name

  protected def watch(d: Descriptor, interest: Int): Int = {
    val cancelled = if (d.watched == 0) 0 else Uring.cancel(ring, d.fd, d.token)
    if (cancelled < 0) cancelled
    else {
      d.watched = 0
      tokens = (tokens + 1) & 0xffffff // long before one comes again its request is gone
      d.token = tokens
      val result = Uring.watch(ring, d.fd, tokens, interest)
      if (result >= 0) d.watched = interest
      result
    }
  }

  protected def unwatch(d: Descriptor, isClosing: Boolean): Unit = {
    val result = Uring.cancel(ring, d.fd, d.token)
    if (result >= 0) d.watched = 0
    else if (isClosing)
      EventLoop.report("the kernel keeps a closed connection open", KernelError.exception(result))
  }

  protected def await(events: Array[Long], max: Int, timeoutMillis: Int): Int = KernelError.check(
    if (timeoutMillis == 0) Uring.now(ring, events.at(0), max)
    else Uring.await(ring, events.at(0), max, timeoutMillis)
  )

  protected def closeKernelSide(): Unit = Uring.close(ring)
}

private[io] object UringPoller {

  /**
   * Of the two queues. Submissions take 64 octets each; if a turn asks for more, it makes one more system call.
   * Completions take 16 each; what does not fit the kernel keeps. A test makes them small.
   */
  @volatile private[io] var sizes: (Int, Int) = (512, 4096)

  /** Null where the system has none, is too old or forbids it, as many containers do. */
  def openRing(waker: Int): Ptr[Byte] = {
    val ring = stackalloc[Ptr[Byte]]()
    if (Uring.open(sizes._1, sizes._2, waker, ring) < 0) null else !ring
  }
}

/** The functions of needletail_uring.c, which says what they promise. */
@extern
@define("__SCALANATIVE_NEEDLETAIL_IO")
private[io] object Uring {
  @name("needletail_uring_open")
  def open(submissions: CInt, completions: CInt, waker: CInt, ring: Ptr[Ptr[Byte]]): CInt = extern
  @name("needletail_uring_watch")
  def watch(ring: Ptr[Byte], fd: CInt, token: CInt, interest: CInt): CInt                    = extern
  @name("needletail_uring_cancel") def cancel(ring: Ptr[Byte], fd: CInt, token: CInt): CInt  = extern
  @name("needletail_uring_now") def now(ring: Ptr[Byte], events: Ptr[Long], max: CInt): CInt = extern
  @name("needletail_uring_wait")
  def await(ring: Ptr[Byte], events: Ptr[Long], max: CInt, timeoutMillis: CInt): CInt = extern
  @name("needletail_uring_close") def close(ring: Ptr[Byte]): Unit                    = extern
}
