package needletail.websocket.socket

import scala.concurrent.duration._

import needletail.testing.Suite
import needletail.websocket.config.WebSocketConfig
import needletail.websocket.frame.Frames._

/** One WebSocket of a server: messages, closing, pings, and what it does when one side is slow. */
class SocketConnectionSuite extends Suite {
  private def echoing(config: WebSocketConfig = WebSocketConfig()) = {
    val t = new MemoryTunnel(config)
    t.onMessage = message => t.socket ! message
    t
  }

  test("messages are received in order, and what is sent in a turn is sent in order") {
    val t = echoing().receive(text("a") ++ frame(0x82, bytes(1)) ++ text("b"))
    assertEquals(t.got, Vector("a", "1 bytes", "b"))
    assertEquals(t.output, Vector("text a", "binary 1", "text b"))
  }

  test("a handler that only answers loses nothing, however little may wait") {
    val texts = (1 to 20).map(_.toString * 10)
    for (most <- Seq(1, 100)) {
      val t = echoing(WebSocketConfig(maxPendingOutput = most)).receive(texts.map(text(_)): _*)
      assertEquals(t.output, texts.map("text " + _).toVector, most)
      t.isStuck = true
      t.receive(texts.map(text(_)): _*)
      assert(t.bytesLeft > 0 && !t.wantsInput && t.pendingOutput <= most + 30, most)
      while (t.bytesLeft > 0) t.unstick()
      assertEquals(t.output, texts.map("text " + _).toVector, most)
      assert(t.wantsInput)
    }
  }

  test("room is reported, also when the turn's own output was all that waited") {
    for (most <- Seq(1, 100)) {
      val t             = new MemoryTunnel(WebSocketConfig(maxPendingOutput = most))
      var sent          = 0
      def speak(): Unit = {
        while (sent < 100 && t.socket.send(s"number $sent")) sent += 1
        if (sent < 100) t.socket.whenWritable.foreach(_ => speak())
      }
      t.onMessage = _ => speak()
      t.receive(text("go"))
      assertEquals(t.output, Vector.tabulate(100)(n => s"text number $n"), most)
      sent = 0
      t.within(_ => speak())
      assertEquals(t.output.size, 100, most)
    }
  }

  test("send refuses exactly while more waits than may, in turns and outside of them") {
    for (seed <- 1 to 50) {
      val random       = new scala.util.Random(seed)
      val most         = 1 + random.nextInt(1500)
      val t            = new MemoryTunnel(WebSocketConfig(maxPendingOutput = most))
      var taken        = 0
      var wrong        = Vector.empty[(Int, Boolean)]
      def send(): Unit = {
        val waiting = t.socket.pendingBytes
        val isTaken = t.socket.send(new Array[Byte](random.nextInt(200)))
        if (isTaken) taken += 1
        if (isTaken != waiting <= most) wrong :+= (waiting -> isTaken)
      }
      t.onMessage = _ => for (_ <- 0 to random.nextInt(4)) send()
      for (_ <- 1 to 60) random.nextInt(5) match {
        case 0 => t.isStuck = true
        case 1 => t.unstick()
        case 2 => t.within(_ => send())
        case _ => t.receive(text("x"))
      }
      t.unstick()
      assertEquals(wrong, Vector.empty, (seed, most))
      assertEquals(t.output.size, taken, seed)
    }
  }

  test("what is sent outside of a turn keeps its place") {
    val t = echoing().within { s => s.send("1"); s.send("2"); () }
    t.onMessage = _ => t.socket ! "4"
    t.loop.within(t.socket.send("3"))
    t.receive(text("x"))
    assertEquals(t.output, Vector("text 1", "text 2", "text 3", "text 4"))
  }

  test("pings are answered at once, also between the fragments of a message") {
    val t = echoing().receive(frame(0x01, bytes('a')), frame(0x89, bytes('p')))
    assertEquals(t.output, Vector("pong p"))
    assertEquals(t.receive(frame(0x80, bytes('b'))).output, Vector("text ab"))
  }

  test("a peer that closes is answered with its code, and the connection ends") {
    val t = echoing().receive(text("a"), close(3001, "done"), text("never"))
    assertEquals(t.output, Vector("text a", "close 3001 "))
    assertEquals(t.got, Vector("a", "closed 3001"))
    assert(t.isFinished && !t.socket.isOpen && !t.socket.send("x"))
    assertEquals(t.gone().got.size, 2)
  }

  test("closing waits for the peer's close frame, for closeTimeout at most") {
    val t = echoing().within(_.close(4000, "bye"))
    assertEquals(t.output, Vector("close 4000 bye"))
    assert(!t.socket.isOpen && !t.isFinished)
    t.receive(text("dropped")).receive(close(4000))
    assertEquals(t.got, Vector("closed 4000"))
    assert(t.isFinished)
    val late = echoing().within(_.close())
    assert(!late.after(4).isFinished)
    assert(late.after(2).isFinished)
    assertEquals(late.got, Vector("closed 1006"))
  }

  test("a peer that has read nothing of what waits for it since the close is cut off, another is not") {
    for (reads <- Seq(false, true)) {
      val t = echoing()
      t.isStuck = true
      t.within(s => s ! "x" * 500).drain()
      assert(!t.after(4).isAborted)
      if (reads) t.take(1)
      t.after(2)
      assertEquals((t.isAborted, t.isFinished), (!reads, reads))
      assertEquals(t.got, Vector("closed 1006"))
    }
  }

  test("codes and reasons that may not be sent are refused") {
    val t = echoing()
    for (code <- Seq(999, 1004, 1005, 1006, 1015, 5000))
      intercept[IllegalArgumentException](t.socket.close(code))
    intercept[IllegalArgumentException](t.socket.close(1000, "x" * 124))
    assert(t.socket.isOpen)
  }

  test("what the protocol forbids is answered with the code for it") {
    for ((data, code) <- Seq(text("a", masked = false) -> 1002, frame(0x81, bytes(0xff)) -> 1007)) {
      val t = echoing().receive(data, text("never"))
      assertEquals(t.output.map(_.take(10)), Vector(s"close $code"))
      assertEquals(t.got, Vector(s"closed $code"))
      assert(t.isFinished)
    }
    val t = echoing(WebSocketConfig(maxMessage = 5)).receive(text("123456"))
    assertEquals(t.got, Vector("closed 1009"))
  }

  test("a listener that throws closes with 1011") {
    val t = echoing()
    t.onMessage = _ => throw new RuntimeException("expected by the test")
    t.receive(text("a"), text("never"))
    assertEquals(t.output, Vector("close 1011 "))
    assertEquals(t.got, Vector("a", "closed 1011"))
    assertEquals(t.failures, 1)
  }

  test("a silent peer is sent a ping, and is given up if it does not answer") {
    val t = echoing()
    assertEquals(t.after(29).output, Vector())
    assertEquals(t.after(2).output, Vector("ping "))
    t.receive(frame(0x8a, bytes()))
    assertEquals(t.after(29).output, Vector())
    assertEquals(t.after(2).output, Vector("ping "))
    assert(!t.after(9).isFinished)
    assert(t.after(2).isFinished)
    assertEquals(t.got, Vector("closed 1006"))
    assertEquals(echoing(WebSocketConfig(pingInterval = 0.seconds)).after(1000).output, Vector())
  }

  test("nobody is given up while nothing is read") {
    val t = echoing().within(_.pause()).receive(text("x" * 70000), text("y"))
    assert(!t.wantsInput)
    for (_ <- 1 to 20) t.after(31)
    assert(!t.isFinished && t.socket.isOpen)
    assertEquals(t.got, Vector())
    t.within(_.resume())
    assertEquals(t.got.map(_.take(1)), Vector("x", "y"))
    assertEquals(t.held, 0L)
  }

  test("a paused socket answers pings, and gives up a peer that answers none") {
    val t = echoing().within(_.pause()).receive(text("a"), frame(0x89, bytes('p')))
    assertEquals(t.output, Vector("pong p"))
    assertEquals(t.after(31).output, Vector("ping "))
    t.receive(frame(0x8a, bytes()))
    assertEquals(t.after(31).output, Vector("ping "))
    t.after(11)
    assert(t.isFinished)
    assertEquals(t.got, Vector("closed 1006"))
    assertEquals(t.held, 0L)
  }

  test("a paused socket sees the peer's end at once if it keeps no message") {
    val t = echoing().within(_.pause()).receive(close(3001))
    assertEquals(t.got, Vector("closed 3001"))
    assert(t.isFinished)
    assertEquals(echoing().within(_.pause()).end().got, Vector("closed 1006"))
  }

  test("the peer's end comes after the messages that are kept, if they are taken in time") {
    for ((end, code) <- Seq[(MemoryTunnel => Any, Int)]((_.receive(close(3001)), 3001), (_.end(), 1006))) {
      val t = echoing().within(_.pause()).receive(text("a"), text("b"))
      end(t)
      assertEquals(t.got, Vector())
      t.onMessage = _ => t.socket.pause()
      t.after(4).within(_.resume())
      assertEquals(t.got, Vector("a"))
      assert(!t.after(4).isFinished)
      t.within(_.resume()).within(_.resume())
      assertEquals(t.got, Vector("a", "b", s"closed $code"))
      assert(t.isFinished)
      val late = echoing().within(_.pause()).receive(text("a"))
      end(late)
      assert(!late.after(4).isFinished && late.after(2).isFinished)
      assertEquals(late.got, Vector(s"closed $code"))
      assertEquals(late.held, 0L)
      val closes = echoing().within(_.pause()).receive(text("a"))
      end(closes)
      closes.within(_.close(4000))
      assertEquals(closes.got, Vector(s"closed $code"))
      assert(closes.isFinished)
    }
  }

  test("a socket that joins and leaves broadcasts keeps nothing of them") {
    val t     = echoing()
    val group = new Broadcast
    for (_ <- 1 to 100) t.loop.within { group.join(t.socket); group.leave(t.socket) }
    assertEquals(t.socket.asInstanceOf[SocketConnection].atEndCount, 0)
    t.loop.within { group.join(t.socket); group.join(t.socket) }
    assertEquals(group.size, 1)
    t.end()
    assertEquals(group.size, 0)
  }

  test("nothing more is read for a peer that does not read, and everything in the end") {
    val t = echoing()
    t.isStuck = true
    val all = Array.fill(50)(text("x" * 100)).flatten
    t.receive(all)
    assert(t.got.size < 15, t.got.size.toString)
    assert(t.bytesLeft > 0)
    var turns = 0
    while (t.bytesLeft > 0 && turns < 50) {
      t.unstick()
      t.isStuck = true
      turns += 1
    }
    t.unstick()
    assertEquals(t.got.size, 50)
    assertEquals(t.output.size, 50)
  }

  test("send refuses beyond the bound, and says when there is room again") {
    val t = new MemoryTunnel(WebSocketConfig(maxPendingOutput = 100))
    t.isStuck = true
    assert(t.loop.within(t.socket.send("x" * 200)))
    t.settle()
    assert(!t.loop.within(t.socket.send("y")))
    val room = t.loop.within(t.socket.whenWritable)
    assert(!room.isCompleted)
    t.unstick()
    assert(room.isCompleted && t.loop.within(t.socket.send("z")))
    t.isStuck = true
    t.settle()
    t.loop.within(t.socket.send("x" * 200))
    t.settle()
    val never = t.loop.within(t.socket.whenWritable)
    t.gone()
    assert(never.poll.exists(_.isFailure))
  }

  test("a paused socket receives nothing until it is resumed") {
    val t = echoing()
    t.onMessage = _ => t.socket.pause()
    t.receive(text("a"), text("b"), text("c"))
    assertEquals(t.got, Vector("a"))
    t.within(_.resume())
    assertEquals(t.got, Vector("a", "b"))
    // closing reads on, so that the peer's close frame is seen
    t.within(_.close()).receive(close(1000))
    assertEquals(t.got, Vector("a", "b", "closed 1000"))
  }

  test("a server that drains says 1001, and waits for the answer") {
    val t = echoing().drain()
    assertEquals(t.output, Vector("close 1001 "))
    assert(!t.isFinished)
    assert(t.receive(close(1001)).isFinished)
  }

  test("memory is counted while a message is incomplete, refused when there is none, and returned") {
    val t = echoing().receive(frame(0x02, new Array[Byte](500)))
    assert(t.held >= 500)
    assertEquals(t.receive(frame(0x80, bytes())).held, 0L)
    t.room = 400
    t.receive(frame(0x02, new Array[Byte](500)))
    assertEquals(t.got.last, "closed 1013")
    assertEquals(t.held, 0L)
    val u = echoing().receive(frame(0x02, new Array[Byte](500))).relieve()
    assertEquals(u.output, Vector("close 1013 memory is short"))
    assertEquals(u.held, 0L)
    assertEquals(echoing().receive(frame(0x02, new Array[Byte](500))).gone().held, 0L)
  }

  test("input that there is no memory for ends a socket, also one that holds nothing") {
    val t = echoing()
    t.isStuck = true
    t.receive(Array.fill(50)(text("x" * 100)).flatten)
    assert(t.bytesLeft > 0 && t.held == 0 && !t.isFinished)
    t.dropInput()
    assertEquals(t.got.last, "closed 1013")
    assert(t.isFinished)
  }

  test("a broadcast's message that the kernel does not take has a turn, and so a time to be read") {
    val t     = echoing()
    val group = new Broadcast
    t.within(group.join(_))
    for (isStuck <- Seq(false, true)) {
      t.isStuck = isStuck
      val before = t.turns
      group.send("to all")
      t.loop.runAll()
      assertEquals(t.settle().turns - before, if (isStuck) 1 else 0)
    }
  }

  test("a server that repeats its close frame has no more time to end the connection") {
    val t = new MemoryTunnel(isServer = false)
    t.receive(close(3001, masked = false)).after(4).receive(close(3001, masked = false))
    assert(!t.isFinished && t.after(2).isFinished)
    assertEquals(t.got, Vector("closed 3001"))
  }

  test("a connection that ends without a close frame is reported so") {
    assertEquals(echoing().end().got, Vector("closed 1006"))
    assertEquals(echoing().gone().got, Vector("closed 1006"))
  }
}
