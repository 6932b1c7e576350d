package needletail.io

class HalfCloseSuite extends LoopSuite {

  test("a client that has ended its output still gets its answer") {
    withRecorded() { recorded =>
      import recorded._
      withClient(listener) { client =>
        send(client, "question")
        client.shutdownOutput()
        events.expect("data question", "end")
        events.expectNothing(30)
        on(loop)(connection.write("answer".getBytes, 0, 6))
        assertEquals(receive(client, 6), "answer")
        on(loop)(connection.close())
        assert(atEnd(client))
        events.expect("closed")
      }
    }
  }

  test("shutdownOutput ends our output after what is pending; reading goes on") {
    withRecorded() { recorded =>
      import recorded._
      withClient(listener) { client =>
        send(client, "x")
        events.expect("data x")
        val size = 8 * 1024 * 1024
        on(loop) {
          connection.write(new Array[Byte](size), 0, size)
          assert(connection.pendingBytes > 0)
          connection.shutdownOutput()
          connection.write(new Array[Byte](1), 0, 1) // ignored
        }
        receive(client, size)
        assert(atEnd(client))
        events.expect("drained")
        send(client, "y")
        events.expect("data y")
      }
      events.expect("end")
      on(loop)(connection.close())
      events.expect("closed")
    }
  }

  test("writing to a peer that is gone closes the connection with a cause and is ignored from then on") {
    withRecorded() { recorded =>
      import recorded._
      val client = connect(loop, listener.address)(_ => new Recorder(new Events))
      on(loop)(client.write("x".getBytes, 0, 1))
      events.expect("data x")
      // In a later turn, else the reading finds the reset first.
      on(loop) {
        connection.pauseReading()
        client.abort()
      }
      on(loop) {
        for (_ <- 1 to 3) connection.write(new Array[Byte](10), 0, 10)
        assert(!connection.isOpen)
      }
      assert(events.next().startsWith("closed by "))
      on(loop)(connection.write(new Array[Byte](10), 0, 10))
      events.expectNothing(20)
    }
  }
}
