package needletail.io.system

import scala.scalanative.unsafe.*

import needletail.io.kernel.KernelError
import needletail.io.loop.FailureLog
import needletail.io.platform.{Descriptor, PlatformLoop, PollerKind}

/**
 * The poller on io_uring: changes of what is watched are submitted with the wait, so that a turn makes one system
 * call, however many connections were opened and closed. See needletail_uring.c, and docs/decisions/0006-io-uring.md
 * for what it gains.
 *
 * A pending request keeps its descriptor open after `close`, until it has been cancelled by the next wait; the peer
 * sees the end of the connection only then. Reports of an old request are recognised by its token.
 */
private[io] final class UringPoller(loop: PlatformLoop, waker: Int, ring: Ptr[Byte])
    extends KernelPoller(loop, waker) {
  private var tokens = 0 // the latest

  def name: String = PollerKind.IoUring.name

  protected def watch(d: Descriptor, interest: Int): Int = {
    val cancelled = if (d.watched == 0) 0 else Uring.cancel(ring, d.fd, d.token)
    if (cancelled < 0) cancelled
    else {
      d.watched = 0
      tokens = (tokens + 1) & 0xffffff // a request is gone long before its token is reused
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
      FailureLog.report("the kernel keeps a closed connection open", KernelError.exception(result))
  }

  protected def await(events: Array[Long], max: Int, timeoutMillis: Int): Int = KernelError.check(
    if (timeoutMillis == 0) Uring.now(ring, events.at(0), max)
    else Uring.await(ring, events.at(0), max, timeoutMillis)
  )

  protected def closeKernelSide(): Unit = Uring.close(ring)
}

private[io] object UringPoller {

  /**
   * Sizes of the two queues. A submission takes 64 bytes; if a turn needs more of them, it makes another system call.
   * A completion takes 16 bytes; the kernel keeps those that do not fit. A test makes the queues small.
   */
  @volatile private[io] var sizes: (Int, Int) = (512, 4096)

  /** Null if io_uring does not exist, is too old or is forbidden, as in many containers. */
  def openRing(waker: Int): Ptr[Byte] = {
    val ring = stackalloc[Ptr[Byte]]()
    if (Uring.open(sizes._1, sizes._2, waker, ring) < 0) null else !ring
  }
}

/** The functions of needletail_uring.c, where they are documented. */
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
