package needletail.io.system

import java.io.IOException

import needletail.io.kernel.Kernel
import needletail.io.platform.{Descriptor, Interest, PlatformLoop, Pollable}
import needletail.io.{EventLoop, LoopSuite}

/** What a poller does when the kernel cannot watch a descriptor, for want of memory. */
class KernelPollerSuite extends LoopSuite {
  private final val OutOfMemory = -12 // ENOMEM

  /** Watches nothing: the kernel refuses as long as it `fails`, and then reports nothing. */
  private final class Refusing(loop: PlatformLoop, waker: Int) extends KernelPoller(loop, waker) {
    var fails   = true
    var watches = 0

    def name: String                                                            = "refusing"
    protected def unwatch(d: Descriptor, isClosing: Boolean): Unit              = d.watched = Interest.None
    protected def await(events: Array[Long], max: Int, timeoutMillis: Int): Int = 0
    protected def closeKernelSide(): Unit                                       = ()
    protected def watch(d: Descriptor, interest: Int): Int                      =
      if (fails) OutOfMemory
      else {
        watches += 1
        d.watched = interest
        0
      }
  }

  private final class Source extends Pollable {
    var told                                               = 0
    private[needletail] def onReady(ready: Int): Unit      = told += 1
    private[needletail] def onLoopEnd(): Unit              = ()
    private[needletail] def failed(cause: Throwable): Unit = ()
  }

  private def refusing(body: (Refusing, Descriptor, Source) => Unit): Unit = withLoop { (loop: EventLoop) =>
    on(loop) {
      val waker  = Kernel.wakeOpen()
      val poller = new Refusing(loop, waker)
      val d      = new Descriptor { fd = waker + 1 }
      try body(poller, d, new Source)
      finally poller.close()
    }
  }

  test("a descriptor that could not be registered is registered by the next attempt") {
    refusing { (poller, d, source) =>
      for (_ <- 1 to 2) intercept[IOException](poller.register(d, source, Interest.Read))
      var known = 0
      poller.foreach(_ => known += 1)
      poller.fails = false
      poller.register(d, source, Interest.Read)
      assertEquals((known, poller.watches), (0, 1))
    }
  }

  test("one whose new interest the kernel does not take is dispatched in each turn until it does") {
    refusing { (poller, d, source) =>
      poller.fails = false
      poller.register(d, source, Interest.None)
      poller.fails = true
      poller.setInterest(d, Interest.Read)
      for (_ <- 1 to 3) poller.poll(0)
      assertEquals((source.told, poller.watches), (3, 0))
      poller.fails = false
      for (_ <- 1 to 3) poller.poll(0)
      assertEquals(poller.watches, 1)
    }
  }
}
