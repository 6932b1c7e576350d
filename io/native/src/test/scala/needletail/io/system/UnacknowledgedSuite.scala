package needletail.io.system

import java.net.{InetSocketAddress, Socket}

import needletail.io.{Connection, LoopSuite}

/** What the kernel says of output that it has taken: whether the peer reads it, long before there is room for more. */
class UnacknowledgedSuite extends LoopSuite {
  test("fault 8: it is seen that a peer reads, though the kernel takes no further output yet") {
    withLoop { loop =>
      val events                 = new Events
      var connection: Connection = null // the loop's own
      val listener               = listen(loop) { c =>
        connection = c
        new Recorder(events)
      }
      val client = new Socket
      try {
        client.setReceiveBufferSize(4096)
        client.connect(new InetSocketAddress("127.0.0.1", portOf(listener)))
        client.setSoTimeout(patience.toMillis.toInt)
        send(client, "hello")
        events.expect("data hello")
        def unacknowledged = on(loop)(connection.unacknowledged)
        assertEquals(unacknowledged, 0)
        on(loop)(connection.write(new Array[Byte](16000000), 0, 16000000))
        val full  = untilStill(unacknowledged)
        val taken = on(loop)(connection.outputProgress)
        assert(full > 100000 && full <= taken, s"$full of $taken bytes")
        var read = 0
        // its system may have a piece of 64 KiB more than the buffer holds
        while (unacknowledged == full && read < 200000) {
          client.getInputStream.readNBytes(500)
          read += 500
        }
        assert(unacknowledged < full, s"nothing is acknowledged, though $read bytes were read")
        assertEquals(on(loop)(connection.outputProgress), taken)
      } finally client.close()
    }
  }
}
