package needletail.io

import java.io.IOException

import scala.concurrent.{Await, Promise}

import needletail.io.platform.{ConnectionOptions, Interest}

/** Reads that fail. */
class ConnectionInputSuite extends LoopSuite {
  test("a failure that is returned ends the connection as one that is thrown does") {
    for (thrown <- Seq(false, true)) {
      val events = new Events
      withLoop { loop =>
        on(loop) {
          val socket = new StubSocket {
            override def read(bytes: Array[Byte], from: Int, count: Int): Int =
              if (thrown) throw failureOf(-104) else fail("it is read so that failures are thrown")
            override def tryRead(bytes: Array[Byte], from: Int, count: Int): Int =
              if (thrown) read(bytes, from, count) else -104
            override def failureOf(result: Int): IOException = new IOException(s"failure $result")
          }
          val connection = new Connection(loop, socket, ConnectionOptions())
          connection.handler = new Recorder(events)
          connection.readNow()
          events.add(s"${connection.isOpen} ${connection.bytesRead}")
        }
        events.expect("false 0", "closed by failure -104")
      }
    }
  }

  test("what a socket holds is read once more in a turn, however often it is ready meanwhile") {
    withLoop { loop =>
      var reads   = 0
      var inTurns = Vector.empty[Int]
      val done    = Promise[Vector[Int]]()
      on(loop) {
        val socket = new StubSocket {
          override def holdsInput: Boolean                                     = !done.isCompleted
          override def tryRead(bytes: Array[Byte], from: Int, count: Int): Int = {
            reads += 1
            1
          }
        }
        val connection = new Connection(loop, socket, ConnectionOptions())
        connection.handler = new Recorder(new Events)
        def turn(): Unit = {
          inTurns :+= reads
          reads = 0
          if (inTurns.size == 20) done.success(inTurns)
          else {
            connection.onReady(Interest.Read)
            loop.execute(() => turn())
          }
        }
        turn()
      }
      val all = Await.result(done.future, patience)
      assert(all.max <= 2, all)
      assert(all.drop(2).min >= 1, all)
    }
  }

  test("what waits to be passed on is passed on, and what has come is read, before a deadline is told") {
    val events = new Events
    withLoop { loop =>
      on(loop) {
        var arrives = "ab"
        val socket  = new StubSocket {
          override def tryRead(bytes: Array[Byte], from: Int, count: Int): Int = {
            val n = arrives.length
            arrives.getBytes("US-ASCII").copyToArray(bytes, from)
            arrives = ""
            n
          }
        }
        val connection = new Connection(loop, socket, ConnectionOptions())
        var uses       = 1
        connection.handler = new Recorder(events) {
          override def use(text: String): Int = math.min(uses, text.length)
        }
        connection.readNow()
        connection.pauseReading()
        // scheduled at the end of this turn, and so passed on at the end of the next one, in which the deadline has passed
        loop.endOfTurn { () =>
          uses = 2
          arrives = "cd"
          connection.resumeReading()
          connection.deadline = loop.nowNanos
        }
      }
      events.expect("data ab", "data b", "data cd", "deadline")
    }
  }

  test("a client that resets its connection") {
    withRecorded() { recorded =>
      val client = Promise[
        Connection
      ]() // which resets without an end before: natively, closing a java.net.Socket ends it
      on(recorded.loop) {
        Connector.connect(recorded.listener.address, recorded.loop) { c =>
          client.success(c)
          new Recorder(new Events)
        }.onComplete(_ => ())
      }
      val connection = Await.result(client.future, patience)
      on(recorded.loop)(connection.write("a".getBytes, 0, 1))
      recorded.events.expect("data a")
      on(recorded.loop)(connection.abort())
      val why = recorded.events.next()
      assert(why.startsWith("closed by Connection reset"), why)
    }
  }
}
