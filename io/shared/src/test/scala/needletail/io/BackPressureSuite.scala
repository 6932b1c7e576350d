package needletail.io

import java.io.IOException
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.concurrent.duration._

import needletail.io.platform.{ConnectionOptions, Interest}

class BackPressureSuite extends LoopSuite {

  /** A handler that takes one byte at a time. */
  private val pausing: (Connection, String) => Int = (connection, _) => {
    connection.pauseReading()
    1
  }

  test("a paused connection gets nothing, then all of it") {
    withRecorded() { recorded =>
      import recorded._
      withClient(listener) { client =>
        send(client, "a")
        events.expect("data a")
        on(loop)(connection.pauseReading())
        send(client, "b")
        events.expectNothing(50)
        send(client, "c")
        events.expectNothing(50)
        assert(on(loop)(connection.isPaused))
        on(loop)(connection.resumeReading())
        events.expect("data bc")
      }
      events.expect("end")
    }
  }

  test("what the handler leaves comes again in front of what is read next") {
    withRecorded(use = (_, text) => text.lastIndexOf('\n') + 1) { recorded =>
      import recorded._
      withClient(listener) { client =>
        send(client, "one\ntw")
        events.expect("data one\ntw")
        send(client, "o")
        events.expect("data two")
        send(client, "\nthree")
        events.expect("data two\nthree")
        send(client, "!")
        events.expect("data three!")
        send(client, "\n")
        events.expect("data three!\n")
        send(client, "four\n")
        events.expect("data four\n")
      }
    }
  }

  test("resuming delivers what was left over, after the call, even with nothing new to read") {
    withRecorded(use = pausing) { recorded =>
      import recorded._
      withClient(listener) { client =>
        send(client, "abc")
        events.expect("data abc")
        on(loop) {
          connection.resumeReading()
          events.add("resumed")
        }
        events.expect("resumed", "data bc")
        on(loop)(connection.resumeReading())
        events.expect("data c")
        on(loop)(connection.resumeReading())
        events.expectNothing(30)
      }
    }
  }

  test("what is left over comes again once in each turn, also where more arrives in each") {
    val calls = new java.util.concurrent.ConcurrentLinkedQueue[Int]
    val done  = new CountDownLatch(1)
    withLoop { loop =>
      var inTurn = 0

      def next(connection: Connection, turn: Int): Unit = {
        calls.add(inTurn)
        inTurn = 0
        if (turn == 20) {
          connection.close()
          done.countDown()
        } else {
          connection.onReady(Interest.Read)
          loop.execute(() => next(connection, turn + 1))
        }
      }
      on(loop) {
        val socket = new StubSocket {
          override def tryRead(bytes: Array[Byte], from: Int, count: Int): Int = math.min(count, 100)
        }
        val connection = new Connection(loop, socket, ConnectionOptions())
        connection.handler = new Recorder(new Events) {
          override def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
            inTurn += 1
            connection.pauseReading()
            connection.resumeReading()
            from + 1
          }
        }
        next(connection, 0)
      }
      assert(done.await(20, TimeUnit.SECONDS))
      assert(calls.toArray.forall(_.asInstanceOf[Int] <= 2), calls)
    }
  }

  test("pausing and resuming inside onData brings the rest again by itself") {
    withRecorded(use = (c, text) => { pausing(c, text); c.resumeReading(); 1 }) { recorded =>
      import recorded._
      withClient(listener) { client =>
        send(client, "abc")
        events.expect("data abc", "data bc", "data c")
        client.shutdownOutput()
        events.expect("end")
      }
    }
  }

  test("the end comes after all data, though the handler paused before it") {
    withRecorded(use = pausing) { recorded =>
      import recorded._
      withClient(listener) { client =>
        send(client, "ab")
        client.shutdownOutput()
        events.expect("data ab")
        events.expectNothing(30)
        on(loop)(connection.resumeReading())
        events.expect("data b")
        on(loop)(connection.resumeReading())
        events.expect("end")
        on(loop)(connection.close())
        events.expect("closed")
      }
    }
  }

  test("the end is told once, also when it is read before what was left over has come again") {
    withRecorded(use = pausing) { recorded =>
      import recorded.{connection => slow, _}
      val wakes = listen(loop) { _ =>
        new Recorder(new Events) {
          override def use(text: String): Int = {
            slow.resumeReading()
            text.length
          }
        }
      }
      withClient(wakes) { waker =>
        withClient(listener) { client =>
          send(client, "abc")
          events.expect("data abc")
          // While the loop is busy both become ready: first the one that resumes, then the end.
          val (begun, busy) = (new CountDownLatch(1), new CountDownLatch(1))
          loop.execute { () => begun.countDown(); busy.await(patience.toMillis, TimeUnit.MILLISECONDS); () }
          assert(begun.await(patience.toMillis, TimeUnit.MILLISECONDS))
          send(waker, "x")
          client.shutdownOutput()
          busy.countDown()
          events.expect("data bc")
          events.expectNothing(20)
          on(loop)(slow.resumeReading())
          events.expect("data c")
          on(loop)(slow.resumeReading())
          events.expect("end")
          on(loop) {
            slow.pauseReading()
            slow.resumeReading()
          }
          events.expectNothing(20)
        }
      }
    }
  }

  test("a handler that uses much at once is passed more than maxLeftover by one read") {
    withRecorded(ConnectionOptions(maxLeftover = 8)) { recorded =>
      import recorded._
      withClient(listener) { client =>
        send(client, "a")
        events.expect("data a")
        on(loop)(connection.pauseReading())
        send(client, "0123456789abcdefghij") // in the kernel once it is sent
        on(loop) {
          connection.expectInput(11)
          connection.resumeReading()
        }
        events.expect("data 0123456789a", "data bcdefghi", "data j")
      }
    }
  }

  test("not while the loop's memory is nearly used up, as it may have to be kept") {
    withLoop { loop =>
      val events     = new Events
      var connection = null: Connection
      val listener   = listen(loop, options = ConnectionOptions(maxLeftover = 8)) { c =>
        connection = c
        new Recorder(events)
      }
      withClient(listener) { client =>
        send(client, "a")
        events.expect("data a")
        on(loop) {
          loop.memory.setBound(1000, () => ())
          loop.memory.add(800)
          connection.pauseReading()
        }
        send(client, "0123456789abcdefghij")
        on(loop) {
          connection.expectInput(11)
          connection.resumeReading()
        }
        events.expect("data 01234567", "data 89abcdef", "data ghij")
      }
    }
  }

  test("no more than maxLeftover is read before the handler uses some") {
    var hungry = false // on the loop
    withRecorded(ConnectionOptions(maxLeftover = 8), (_, text) => if (hungry) text.length else 0) {
      recorded =>
        import recorded._
        withClient(listener) { client =>
          send(client, "12345")
          events.expect("data 12345")
          send(client, "67890abcdef")
          events.expect("data 12345678")
          events.expectNothing(30)
          assert(on(loop)(connection.isPaused))
          assertEquals(on(loop)(connection.bytesRead), 8L)
          on(loop) {
            hungry = true
            connection.resumeReading()
          }
          events.expect("data 12345678", "data 90abcdef")
        }
    }
  }

  test(
    "write takes everything at once and keeps what the kernel does not take; a drained output is told once"
  ) {
    withRecorded() { recorded =>
      import recorded._
      withClient(listener) { client =>
        send(client, "x")
        events.expect("data x")
        val size    = 16 * 1024 * 1024
        val pending = on(loop) {
          val lent = new Array[Byte](1000)
          var sent = 0
          while (sent < size) {
            java.util.Arrays.fill(lent, (sent / 1000 % 100).toByte)
            connection.write(lent, 0, 1000)
            sent += 1000
          }
          java.util.Arrays.fill(lent, 77.toByte)
          val owned = Array.fill[Byte](5000)(101)
          connection.writeOwned(owned, 0, 5000)
          connection.pendingBytes
        }
        assert(pending > 0, "the kernel cannot have taken all that")
        val total = (size + 999) / 1000 * 1000 + 5000
        var i     = 0
        val in    = new java.io.BufferedInputStream(client.getInputStream, 65536)
        while (i < total) {
          val expected = if (i < total - 5000) i / 1000 % 100 else 101
          val got      = in.read()
          if (got != expected) fail(s"at $i: $got, not $expected")
          i += 1
        }
        events.expect("drained")
        events.expectNothing(20)
        assertEquals(on(loop)(connection.pendingBytes), 0)
        assertEquals(on(loop)(connection.bytesWritten), total.toLong)
      }
    }
  }

  test(
    "fault 8: what is pending goes on when it is offered, long before the kernel says that there is room"
  ) {
    withRecorded() { recorded =>
      import recorded._
      withClient(listener) { client =>
        send(client, "x")
        events.expect("data x")
        val size = 32 * 1024 * 1024
        on(loop)(connection.writeOwned(new Array[Byte](size), 0, size))
        def offered() = on(loop) {
          connection.offerPending()
          connection.bytesWritten
        }
        // until the kernel takes no more: for a while it still makes its buffers larger
        var taken = offered()
        var since = System.nanoTime()
        while (System.nanoTime() - since < 200L * 1000 * 1000) {
          val now = offered()
          if (now > taken) since = System.nanoTime()
          taken = now
        }
        // slowly, and less in all than the third of a buffer that the kernel waits for
        var read = 0
        while (read < 512 * 1024 && offered() == taken) {
          receive(client, 16 * 1024)
          read += 16 * 1024
        }
        val end = System.nanoTime() + patience.toNanos
        while (offered() == taken && System.nanoTime() < end) ()
        assert(offered() > taken, s"nothing went although the peer has read $read")
        receive(client, size - read)
        events.expect("drained")
        on(loop)(connection.offerPending()) // with nothing pending
        events.expectNothing(20)
      }
    }
  }

  test("a peer that reads nothing costs nothing while it waits: no spinning") {
    withRecorded() { recorded =>
      import recorded._
      withClient(listener) { client =>
        send(client, "x")
        events.expect("data x")
        on(loop) {
          connection.write(new Array[Byte](32 * 1024 * 1024), 0, 32 * 1024 * 1024)
          connection.pauseReading()
        }
        send(client, "y")
        untilAsleep(loop)
        // A loop that turns by itself would move its cached clock on all the time.
        untilStill(loop.nowNanos, 100.millis)
      }
    }
  }

  test("what has come before the end is passed on also where a write fails before the end is told") {
    withLoop { loop =>
      val events = new Events
      val made   = on(loop) {
        val socket = new StubSocket {
          private var reads                                                    = 0
          override def tryRead(bytes: Array[Byte], from: Int, count: Int): Int = {
            reads += 1
            if (reads > 1) ConnectionInput.EndOfInput
            else {
              System.arraycopy("abc".getBytes, 0, bytes, from, 3)
              3
            }
          }
          override def write(bytes: Array[Byte], from: Int, count: Int): Int = throw new IOException("gone")
        }
        val connection = new Connection(loop, socket, ConnectionOptions())
        connection.handler = new Recorder(events) {
          override def use(text: String): Int                       = pausing(connection, text)
          private[needletail] override def readsWhenBroken: Boolean = true
        }
        connection.onReady(Interest.Read) // the handler leaves two bytes
        connection.resumeReading()
        connection.onReady(Interest.Read) // the end
        connection
      }
      events.expect("data abc", "data bc")
      on(loop)(made.write(new Array[Byte](1), 0, 1))
      on(loop)(made.resumeReading())
      events.expect("data c")
      on(loop)(made.resumeReading())
      events.expect("closed by gone")
    }
  }
}
