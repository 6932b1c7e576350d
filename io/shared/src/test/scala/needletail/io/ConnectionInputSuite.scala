package needletail.io

import java.io.IOException

import scala.concurrent.{Await, Promise}

import needletail.io.platform.ConnectionOptions

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
