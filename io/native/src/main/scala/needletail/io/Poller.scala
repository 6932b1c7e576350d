package needletail.io

import scala.scalanative.unsafe.*

import java.util.concurrent.atomic.AtomicInteger

/** See Platform.scala. On epoll. */
private[io] final class Poller(loop: EventLoop) {
  import Poller.*

  private val epoll = KernelError.check(Kernel.pollOpen())
  private val waker =
    try KernelError.check(Kernel.wakeOpen(epoll))
    catch {
      case e: Throwable =>
        Kernel.close(epoll)
        throw e
    }

  // by descriptor number; null: not watched, as the waker, which has a place here so that its events find one
  private var sources = new Array[Pollable](math.max(64, waker + 1))
  private val ready   = new Array[Long](MaxEvents)

  /** How many threads are about to wake this one; from below zero on it is closed and its number may be another's. */
  private val wakers = new AtomicInteger

  def register(d: Descriptor, source: Pollable, interest: Int): Unit = {
    if (d.fd >= sources.length)
      sources = java.util.Arrays.copyOf(sources, math.max(2 * sources.length, d.fd + 1))
    sources(d.fd) = source
    setInterest(d, interest)
  }

  def setInterest(d: Descriptor, interest: Int): Unit =
    if (interest != d.interest) {
      KernelError.check(Kernel.pollChange(epoll, d.fd, d.interest, interest))
      d.interest = interest
    }

  /** Closing takes a descriptor out of epoll by itself. */
  def forget(d: Descriptor): Unit = if (d.fd < sources.length) sources(d.fd) = null

  def poll(timeoutMillis: Int): Unit = {
    val count =
      if (timeoutMillis == 0) Kernel.pollNow(epoll, ready.at(0), MaxEvents)
      else Kernel.pollWait(epoll, ready.at(0), MaxEvents, timeoutMillis)
    if (count < 0) throw KernelError.exception(count)
    var i = 0
    while (i < count) {
      val event  = ready(i)
      val source = sources((event >>> 32).toInt)
      if (source ne null) loop.dispatch(source, event.toInt)
      i += 1
    }
  }

  def wakeUp(): Unit = {
    if (wakers.incrementAndGet() > 0) { Kernel.wake(waker); () }
    wakers.decrementAndGet()
    ()
  }

  def foreach(f: Pollable => Unit): Unit = {
    val all = sources
    var i   = 0
    while (i < all.length) {
      if (all(i) ne null) f(all(i))
      i += 1
    }
  }

  def close(): Unit = {
    wakers.addAndGet(Int.MinValue)
    while (wakers.get() != Int.MinValue) Thread.`yield`()
    Kernel.close(waker)
    Kernel.close(epoll)
    ()
  }
}

private[io] object Poller {
  private final val MaxEvents = 256 // as in needletail_io.c
}
