package needletail.io.system

import scala.scalanative.unsafe.*

import needletail.io.kernel.{Kernel, KernelError}
import needletail.io.platform.{Descriptor, Interest, PlatformLoop, PollerKind}

/** The poller on epoll: one system call for each change of what is watched, and one for each wait. */
private[io] final class EpollPoller(loop: PlatformLoop, waker: Int) extends KernelPoller(loop, waker) {
  private val epoll = KernelError.check(Kernel.pollOpen())
  try KernelError.check(Kernel.pollWatch(epoll, waker, 0, Interest.Read))
  catch {
    case e: Throwable =>
      Kernel.close(epoll)
      throw e
  }

  def name: String = PollerKind.Epoll.name

  protected def watch(d: Descriptor, interest: Int): Int = {
    val result = Kernel.pollWatch(epoll, d.fd, d.watched, interest)
    if (result >= 0) d.watched = interest
    result
  }

  /** Closing a descriptor removes it from epoll. */
  protected def unwatch(d: Descriptor, isClosing: Boolean): Unit = {
    if (!isClosing) Kernel.pollWatch(epoll, d.fd, d.watched, 0)
    d.watched = 0
  }

  protected def await(events: Array[Long], max: Int, timeoutMillis: Int): Int = KernelError.check(
    if (timeoutMillis == 0) Kernel.pollNow(epoll, events.at(0), max)
    else Kernel.pollWait(epoll, events.at(0), max, timeoutMillis)
  )

  protected def closeKernelSide(): Unit = { Kernel.close(epoll); () }
}
