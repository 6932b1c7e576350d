package needletail.io

import needletail.testing.Pause

import scala.concurrent.duration.*

/** For how long a client is said to get no further in its TLS handshake. */
class ConnectionTimerSuite extends LoopSuite {

  /** A handshake that awaits a record. */
  private final class Shaking(@volatile var record: Int) extends StubSocket {
    override def awaitedRecord: Int = record
  }

  private final class Owner(val loop: EventLoop) extends ConnectionTimer.Owner {
    private[needletail] def failed(cause: Throwable): Unit                 = ()
    private[io] def readNow(): Unit                                        = ()
    private[io] def readInTurn(): Unit                                     = ()
    private[io] def awaitsTurn: Boolean                                    = false
    private[io] def deadlinePassed(): Unit                                 = ()
    private[io] def handshakeTimedOut(): Unit                              = ()
    private[io] def closeIfStalled(nanos: Long, withSilent: Boolean): Unit = ()
  }

  test(
    "a stall begins with a record, counts twice before the first one, and is none while it is not the client's turn"
  ) {
    withLoop { loop =>
      val sockets           = Seq(0, 1, 2, -1).map(new Shaking(_))
      val timers            = sockets.map(new ConnectionTimer(new Owner(loop), _))
      def stalls: Seq[Long] = on(loop)(timers.map(_.handshakeStall(withSilent = false)))
      assertEquals(stalls, Seq(0L, 0L, 0L, -1L))
      Pause(50.millis)
      val later = stalls
      assert(later(1) >= 40.millis.toNanos, later)
      assertEquals(later, Seq(2 * later(1), later(1), later(1), -1L))
      sockets(2).record = 3
      sockets(3).record = 0
      Pause(10.millis)
      val last = stalls
      assert(last(1) > later(1), last)
      assertEquals(last, Seq(2 * last(1), last(1), 0L, 0L))
      sockets(0).record = -1
      sockets(1).record = 2
      assertEquals(stalls.take(2), Seq(-1L, 0L))
    }
  }

  test("who awaits its turn is neither read nor closed, but judged after it, though it awaits another") {
    withLoop { here =>
      val done  = new Events
      val owner = new ConnectionTimer.Owner {
        def loop: EventLoop                                                    = here
        private[needletail] def failed(cause: Throwable): Unit                 = ()
        private[io] def readNow(): Unit                                        = done.add("read")
        private[io] def readInTurn(): Unit                                     = done.add("read in turn")
        private[io] def awaitsTurn: Boolean                                    = true
        private[io] def deadlinePassed(): Unit                                 = done.add("deadline")
        private[io] def handshakeTimedOut(): Unit                              = done.add("handshake")
        private[io] def closeIfStalled(nanos: Long, withSilent: Boolean): Unit = ()
      }
      on(here) {
        val timer = new ConnectionTimer(owner, new StubSocket { override def isShakingHands: Boolean = true })
        timer.turnOver() // nothing is due
        timer.limitHandshake(1)
        timer.deadline = here.nowNanos + 1
        here.schedule(20.millis.toNanos, () => { done.add("turn"); timer.turnOver() })
        ()
      }
      for (event <- Seq("turn", "read", "handshake", "read", "deadline")) done.expect(event)
    }
  }
}
