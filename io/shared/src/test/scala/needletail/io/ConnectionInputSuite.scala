package needletail.io

import java.io.IOException

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
      val client = new java.net.Socket("127.0.0.1", portOf(recorded.listener))
      send(client, "a")
      recorded.events.expect("data a")
      client.setSoLinger(true, 0)
      client.close()
      val why = recorded.events.next()
      assert(why.startsWith("closed by Connection reset"), why)
    }
  }
}
