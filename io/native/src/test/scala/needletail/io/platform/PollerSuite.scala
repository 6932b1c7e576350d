package needletail.io.platform

import java.util.concurrent.CountDownLatch

import scala.concurrent.{Await, Promise}
import scala.concurrent.duration._
import scala.scalanative.posix.pthread.pthread_self
import scala.scalanative.posix.signal.SIGTERM
import scala.scalanative.posix.signal.pthread_kill

import needletail.io.{
  Address,
  Connection,
  EventLoop,
  EventLoops,
  LoopSuite,
  Signals,
  StubSocket,
  UrgentClient
}
import needletail.io.kernel.Kernel
import needletail.io.system.{Uring, UringPoller}
import needletail.testing.Pause

/** What the pollers of this platform have to do beyond what the suites that run on both ask for, each of them. */
class PollerSuite extends LoopSuite {

  /** Whether the system has and allows io_uring; many containers do not. */
  private lazy val uringWorks: Boolean = {
    val waker = Kernel.wakeOpen()
    val ring  = UringPoller.openRing(waker)
    if (ring ne null) Uring.close(ring)
    Kernel.close(waker)
    ring ne null
  }

  private def with1[A](kind: PollerKind)(body: EventLoop => A): A = {
    val loops = new EventLoops(1, "polled", daemon = true, kind)
    try body(loops(0))
    finally {
      loops.stop()
      Await.result(loops.stopped, patience)
    }
  }

  private def withEach(name: String)(body: EventLoop => Unit): Unit =
    for (kind <- List(PollerKind.Epoll, PollerKind.IoUring)) test(s"$kind: $name") {
      assume(kind == PollerKind.Epoll || uringWorks, "no io_uring here")
      with1(kind)(body)
    }

  test("the poller asked for is used, or epoll where the system has no other") {
    with1(PollerKind.Epoll)(loop => assertEquals(loop.pollerName, "epoll"))
    with1(PollerKind.IoUring)(loop => assertEquals(loop.pollerName, if (uringWorks) "io_uring" else "epoll"))
    with1(PollerKind.Auto)(loop =>
      assertEquals(
        loop.pollerName,
        if (System.getenv("NEEDLETAIL_POLLER") == "io_uring" && uringWorks) "io_uring" else "epoll"
      )
    )
  }

  withEach("data and the end that come while the loop is busy are both seen") { loop =>
    val events   = new Events
    val listener = listen(loop)(_ => new Recorder(events))
    withClient(listener) { client =>
      send(client, "a")
      events.expect("data a")
      val busy, go = new CountDownLatch(1)
      loop.execute { () => busy.countDown(); go.await() }
      busy.await()
      send(client, "bcd")
      client.shutdownOutput()
      go.countDown()
      events.expect("data bcd", "end")
    }
  }

  withEach("what comes after urgent data is read as well, and a read ends at its mark") { loop =>
    val events   = new Events
    val listener = listen(loop)(_ => new Recorder(events))
    val client   = new UrgentClient(portOf(listener))
    try {
      client.send("a", urgent = false)
      events.expect("data a")
      val busy, go = new CountDownLatch(1)
      loop.execute { () => busy.countDown(); go.await() }
      busy.await()
      client.send("before", urgent = false)
      client.send("!", urgent = true)
      client.send("after", urgent = false)
      go.countDown()
      events.expect("data before", "data after")
    } finally client.close()
  }

  withEach("what comes for a paused connection wakes the loop twice at most, however much it is") { loop =>
    val events   = new Events
    val accepted = Promise[Connection]()
    val listener = listen(loop) { c => accepted.success(c); new Recorder(events) }
    withClient(listener) { client =>
      val connection = Await.result(accepted.future, patience)
      send(client, "a")
      events.expect("data a")
      on(loop)(connection.pauseReading())
      client.setTcpNoDelay(true)
      for (_ <- 1 to 2) { // the first is for the connection to say that it wants none, the second for its watch to end
        send(client, "b")
        untilStill(loop.nowNanos)
        untilAsleep(loop)
      }
      val woken = loop.nowNanos
      for (_ <- 1 to 20) {
        send(client, "c")
        Pause(2.millis)
      }
      assertEquals(loop.nowNanos, woken)
      on(loop)(connection.resumeReading())
      events.expect("data bb" + "c" * 20)
    }
  }

  withEach("a reset is told of a paused connection, with and without bytes before it; an end is not") {
    loop =>
      for (before <- Seq(0, 1, 3)) {
        val events   = new Events
        val accepted = Promise[Connection]()
        val listener = listen(loop) { c =>
          accepted.success(c)
          new Recorder(events) {
            private[needletail] override def onBroken(): Unit = {
              this.events.add("broken")
              c.close()
            }
          }
        }
        withClient(listener) { client =>
          val connection = Await.result(accepted.future, patience)
          send(client, "a")
          events.expect("data a")
          on(loop)(connection.pauseReading())
          for (_ <- 1 to before) {
            send(client, "b")
            untilAsleep(loop)
          }
          client.shutdownOutput()
          untilAsleep(loop)
          Pause(20.millis)
          assert(on(loop)(connection.isOpen))
          client.setSoLinger(true, 0)
          client.close()
          events.expect("broken", "closed")
        }
      }
  }

  withEach("connections that come and go leave no descriptor behind, and none hears of another") { loop =>
    val mixed    = new Events
    val listener = listen(loop) { c =>
      new Recorder(mixed) {
        private var own: String                                             = null
        override def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
          val text = new String(bytes, from, until - from, "US-ASCII")
          if (own eq null) own = text.take(1)
          if (text.exists(_ != own.head)) events.add(s"$text for $own")
          c.write(bytes, from, 1)
          // The kernel has more to report of it, or is about to, when its number goes to the next one.
          if (own == "a") c.close() else if (own == "b") c.abort() else c.closeGracefully(1000000, 100)
          until
        }
        override def onEnd(): Unit                    = ()
        override def onClosed(cause: Throwable): Unit = ()
      }
    }
    def round(): Unit = for (i <- 0 until 300) withClient(listener) { client =>
      val letter = ('a' + i % 3).toChar.toString
      try {
        send(client, letter)
        send(client, letter * 100)
        client.getInputStream.read()
        while (client.getInputStream.read() >= 0) {}
      } catch { case _: java.io.IOException => () } // reset
    }
    def afterwards(): Int = {
      untilStill(openDescriptors, 20.millis) // the last one lingers
      on(loop)(())
      on(loop)(())
      openDescriptors
    }
    round()
    val before = afterwards()
    round()
    eventually(afterwards() <= before, s"$before before, $openDescriptors after")
    mixed.expectNothing(20)
  }

  withEach("a socket that the kernel does not know is released as any other that is not watched") { loop =>
    on(loop)(loop.release(new StubSocket))
  }

  withEach("a closed listener's port is free again at once") { loop =>
    var port = 0
    for (_ <- 1 to 20) {
      val listener = listen(loop, Address.Tcp("127.0.0.1", port))(new Echo(_))
      port = portOf(listener)
      withClient(listener) { client =>
        send(client, "x")
        assertEquals(receive(client, 1), "x")
        on(loop)(listener.close())
        on(loop)(())
        on(loop)(()) // the turn after that in which it was closed has begun
      }
    }
  }

  withEach("signals that interrupt the wait do no harm") { loop =>
    val events   = new Events
    val listener = listen(loop)(new Echo(_))
    Signals.onTerminate(() => ())
    val thread = on(loop)(pthread_self())
    on(loop)(loop.schedule(300L * 1000 * 1000, () => events.add("timer")))
    withClient(listener) { client =>
      for (_ <- 1 to 20) {
        assertEquals(pthread_kill(thread, SIGTERM), 0)
        Pause(5.millis)
        send(client, "x")
        assertEquals(receive(client, 1), "x")
      }
    }
    events.expect("timer")
  }

  test("a port is free again as soon as the loops have ended") {
    for (kind <- List(PollerKind.Epoll, PollerKind.IoUring)) {
      var port = 0
      for (_ <- 1 to 20) with1(kind) { loop =>
        val listener = listen(loop, Address.Tcp("127.0.0.1", port))(new Echo(_))
        port = portOf(listener)
        withClient(listener) { client =>
          send(client, "x")
          assertEquals(receive(client, 1), "x")
        }
      }
    }
  }

  test("io_uring: more at once than its queues hold") {
    assume(uringWorks, "no io_uring here")
    val before = UringPoller.sizes
    UringPoller.sizes = (4, 8)
    try
      with1(PollerKind.IoUring) { loop =>
        val listener = listen(loop)(new Echo(_))
        val clients  = List.fill(150)(new java.net.Socket("127.0.0.1", portOf(listener)))
        try {
          clients.foreach(_.setSoTimeout(patience.toMillis.toInt))
          for (_ <- 1 to 5) {
            val busy, go = new CountDownLatch(1)
            loop.execute { () => busy.countDown(); go.await() }
            busy.await()
            clients.foreach(send(_, "ping"))
            go.countDown()
            clients.foreach(client => assertEquals(receive(client, 4), "ping"))
          }
        } finally clients.foreach(_.close())
        on(loop)(()) // it is awake and well
      }
    finally UringPoller.sizes = before
  }

  private def openDescriptors: Int = new java.io.File("/proc/self/fd").list().length
}
