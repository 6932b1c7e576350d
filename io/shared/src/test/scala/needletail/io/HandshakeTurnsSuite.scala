package needletail.io

import scala.collection.mutable.ArrayBuffer

import needletail.io.platform.{ConnectionOptions, Interest}

/** Handshakes that are computed on the loop, and others who wait meanwhile. */
class HandshakeTurnsSuite extends LoopSuite {

  /** So many connections with a greeting that takes a millisecond to answer; `computed` is told of each. */
  private def greeted(loop: EventLoop, count: Int)(computed: Int => Unit): Seq[Connection] =
    for (n <- 1 to count) yield {
      val socket = new StubSocket {
        override def computesHandshake: Boolean                              = true
        override def isSecure: Boolean                                       = true
        override def tryRead(bytes: Array[Byte], from: Int, count: Int): Int = {
          val end = System.nanoTime + 1000000
          while (System.nanoTime - end < 0) {}
          computed(n)
          0
        }
      }
      val connection = new Connection(loop, socket, ConnectionOptions())
      connection.handler = new Recorder(new Events)
      connection
    }

  test(
    "of a burst only some are computed before others have their turn, all in the order in which they came"
  ) {
    withLoop { loop =>
      val order           = ArrayBuffer.empty[Int]
      @volatile var all   = Vector.empty[Int]
      @volatile var first = -1
      on(loop) {
        val connections = greeted(loop, 200)(n => { order += n; () })
        // as if the poller had reported all of them, and an established client came next
        connections.foreach(_.onReady(Interest.Read))
        connections.foreach(_.onReady(Interest.Read)) // they are ready still
        loop.endOfTurn(() => loop.execute(() => first = order.size))
        def look(): Unit = if (order.size < 200) { loop.schedule(1000000, () => look()); () }
        else all = order.toVector
        look()
      }
      eventually(all.nonEmpty, "not all are computed")
      assert(first >= 0 && first < 60, first) // each takes a millisecond, and all others in a turn 50 at most
      assertEquals(all, (1 to 200).toVector)
    }
  }

  test("one that fails does not keep the others from their turn") {
    val before = EventLoop.onFailure
    EventLoop.onFailure = (_, _) => ()
    try
      withLoop { loop =>
        @volatile var computed = 0
        on(loop) {
          greeted(loop, 3) { n =>
            computed += 1
            if (n == 1) throw new IllegalStateException("a bug")
          }.foreach(_.onReady(Interest.Read))
        }
        eventually(computed == 3, computed)
      }
    finally EventLoop.onFailure = before
  }

  test(
    "one that has more to compute, and comes again meanwhile, leaves no turn in which there is nothing to do"
  ) {
    withLoop { loop =>
      val events = new Events
      on(loop) {
        val socket = new StubSocket {
          private var left                                                     = 3
          override def computesHandshake: Boolean                              = true
          override def isSecure: Boolean                                       = true
          override def holdsInput: Boolean                                     = left > 0
          override def tryRead(bytes: Array[Byte], from: Int, count: Int): Int = {
            left -= 1
            events.add(s"$left left")
            0
          }
        }
        val connection = new Connection(loop, socket, ConnectionOptions())
        connection.handler = new Recorder(events)
        connection.onReady(Interest.Read)
      }
      for (left <- 2 to 0 by -1) events.expect(s"$left left")
      for (_ <- 1 to 2) on(loop)(()) // a loop that has ended refuses these
    }
  }

  test("in a long turn more are computed: for half of the time that all else in it has taken") {
    var clock    = 0L
    var begun    = 0L
    var computed = 0
    val turns    = new HandshakeTurns(_ => (), () => begun, () => clock)
    for (_ <- 1 to 100) turns.add(new HandshakeTurns.Member {
      def compute(): Unit = {
        clock += 1000000
        computed += 1
      }
      private[needletail] def failed(cause: Throwable): Unit = ()
    })
    turns.run()
    assertEquals(computed, 3)
    begun = clock
    clock += 40000000
    turns.run()
    assertEquals(computed, 3 + 20)
    begun = clock - 1000000000
    turns.run()
    assertEquals(computed, 3 + 20 + 50, "a very long turn must not lead to another")
    assertEquals((turns.spent, turns.spentBefore, turns.spentLatest), (73000000L, 23000000L, 20000000L))
    begun = clock
    assertEquals((turns.spent, turns.spentBefore, turns.spentLatest), (73000000L, 73000000L, 50000000L))
  }

  test("of too many that wait, those that have done so for a second are refused, some in each turn") {
    var clock    = 0L
    var computed = 0
    var refused  = 0
    val turns    = new HandshakeTurns(_ => (), () => clock, () => clock)

    final class Fresh extends HandshakeTurns.Member {
      def compute(): Unit                                    = { clock += 1000000; computed += 1 }
      override def isFresh: Boolean                          = true
      override def refuse(): Unit                            = refused += 1
      private[needletail] def failed(cause: Throwable): Unit = ()
    }
    for (_ <- 1 to 356) turns.add(new Fresh)
    turns.run()
    assertEquals((computed, refused), (3, 0))
    clock += 1000000000
    turns.run()
    assertEquals((computed, refused), (6, 64))
    turns.run()
    assertEquals((computed, refused), (9, 64 + 100 - 64 - 6))
    while (computed < 356 - refused) turns.run()
    assertEquals((computed, refused), (262, 94))
  }

  test("one that has begun while it waited is computed, and not refused") {
    var clock    = 0L
    var computed = List.empty[Int]
    var refused  = List.empty[Int]
    val turns    = new HandshakeTurns(_ => (), () => clock, () => clock)

    final class Waiting(n: Int) extends HandshakeTurns.Member {
      var hasBegun                                           = false
      def compute(): Unit                                    = { clock += 1000000; computed ::= n }
      override def isFresh: Boolean                          = !hasBegun
      override def refuse(): Unit                            = refused ::= n
      private[needletail] def failed(cause: Throwable): Unit = ()
    }
    val all = for (n <- 1 to 258) yield new Waiting(n)
    all.foreach(turns.add(_))
    all.head.hasBegun = true
    clock += 1000000000
    turns.run()
    assertEquals((computed.last, refused), (1, List(2)))
  }

  test("a connection that is refused counts as that, and is closed; one that was closed is left alone") {
    withLoop { loop =>
      val events  = new Events
      var refused = 0
      on(loop) {
        val connection = new Connection(
          loop,
          new StubSocket { override def refuseHandshake(): Unit = refused += 1 },
          ConnectionOptions()
        )
        connection.handler = new Recorder(events)
        connection.refuseHandshake()
        connection.refuseHandshake()
        assertEquals(refused, 1)
      }
      events.expect("closed by more handshakes waited to be computed than could be within a second")
    }
  }

  test("a deadline that passes in the queue has nobody computed before its turn, and takes effect then") {
    withLoop { loop =>
      val events = new Events
      on(loop) {
        var computed    = 0
        val connections = greeted(loop, 40) { n =>
          if (n == 40 && computed < 40) events.add(s"computed after $computed")
          computed += 1
        }
        connections.last.handler = new Recorder(events)
        connections.last.deadline = loop.nowNanos + 1
        connections.foreach(_.onReady(Interest.Read))
      }
      events.expect("computed after 39")
      events.expect("deadline")
    }
  }

  test("a client whose time passes in the queue is closed, and nothing is computed for it") {
    withLoop { loop =>
      val events   = new Events
      var computed = 0
      on(loop) {
        // before these are computed, 50 in a turn at most, there is a turn in which the time is found to have passed
        greeted(loop, 60)(_ => ()).foreach(_.onReady(Interest.Read))
        for (_ <- 1 to 40) {
          val socket = new StubSocket {
            override def computesHandshake: Boolean                              = true
            override def isSecure: Boolean                                       = true
            override def isShakingHands: Boolean                                 = true
            override def tryRead(bytes: Array[Byte], from: Int, count: Int): Int = {
              computed += 1
              0
            }
          }
          val connection = new Connection(loop, socket, ConnectionOptions(handshakeNanos = 1))
          connection.handler = new Recorder(events)
          connection.limitHandshake()
          connection.onReady(Interest.Read)
        }
      }
      for (_ <- 1 to 40) events.expect("closed by no TLS handshake within 0 ms")
      assertEquals(on(loop)(computed), 0)
    }
  }

  test(
    "a client whose time passes, or that has stalled, is read in its turn, and nothing is computed for one that is late"
  ) {
    withLoop { loop =>
      val events = new Events
      val order  = ArrayBuffer.empty[String]
      on(loop) {
        for (name <- Seq("late", "stalled")) {
          val socket = new StubSocket {
            override def computesHandshake: Boolean                              = true
            override def isSecure: Boolean                                       = true
            override def isShakingHands: Boolean                                 = true
            override def isSilent: Boolean                                       = true
            override def tryRead(bytes: Array[Byte], from: Int, count: Int): Int = {
              order += s"$name is ${if (loop.handshakes.isComputing) "computed" else "read"}"
              0
            }
          }
          val connection = new Connection(loop, socket, ConnectionOptions(handshakeNanos = 1))
          connection.handler = new Recorder(events)
          if (name == "late") connection.limitHandshake()
          else {
            connection.deadline = loop.nowNanos + patience.toNanos // so that it has a timer
            connection.closeStalledHandshake(0, withSilent = true)
          }
        }
      }
      val late    = "closed by no TLS handshake within 0 ms"
      val stalled = "closed by the client had sent nothing while too many others were in progress"
      assertEquals(Set(events.next(), events.next()), Set(late, stalled))
      assertEquals(on(loop)(order.toSeq), Seq("stalled is computed"))
    }
  }

  test("a client whose greeting waits here has not stalled") {
    withLoop { loop =>
      val socket = new StubSocket {
        override def computesHandshake: Boolean = true
        override def isSecure: Boolean          = true
        override def isShakingHands: Boolean    = true
        override def isSilent: Boolean          = true
      }
      val stalls = on(loop) {
        val connection = new Connection(loop, socket, ConnectionOptions())
        connection.handler = new Recorder(new Events)
        connection.deadline = loop.nowNanos + 1000000000L // so that it has a timer
        val silent = connection.handshakeStall(withSilent = true)
        connection.onReady(Interest.Read)
        (silent, connection.handshakeStall(withSilent = true))
      }
      assertEquals(stalls, (0L, -1L))
    }
  }

  test("one that is looked at often while it waits is computed once") {
    withLoop { loop =>
      var computed = 0 // on the loop
      on(loop) {
        val stalled = greeted(loop, 1)(_ => computed += 1).head
        for (_ <- 1 to 100) stalled.closeStalledHandshake(1000000000L, withSilent = true)
      }
      def afterATurn(): Int = on(loop)(computed)
      eventually(afterATurn() > 0)
      for (_ <- 1 to 3) { val _ = afterATurn() }
      assertEquals(afterATurn(), 1)
    }
  }
}
