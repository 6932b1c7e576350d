package needletail.io

class LingerSuite extends LoopSuite {
  private val second = 1000000000L

  private def answering(loop: EventLoop, events: Events, answer: Int)(close: Connection => Unit): Listener =
    listen(loop) { c =>
      new Recorder(events) {
        override def use(text: String): Int = {
          c.write(new Array[Byte](answer), 0, answer)
          close(c)
          text.length
        }
      }
    }

  test("the last reply arrives whole although the peer goes on sending") {
    withLoop { loop =>
      val events   = new Events
      val listener = answering(loop, events, 2 * 1024 * 1024)(_.closeGracefully(5 * second, 64 * 1024 * 1024))
      withClient(listener) { client =>
        send(client, "x")
        receive(client, 1)
        for (_ <- 1 to 100) {
          client.getOutputStream.write(new Array[Byte](10000))
          client.getOutputStream.flush()
        }
        receive(client, 2 * 1024 * 1024 - 1)
        assert(atEnd(client))
        send(client, "still open for this")
      }
      events.expect("data x", "closed")
    }
  }

  test("lingering ends with the peer's end") {
    withLoop { loop =>
      val events   = new Events
      val listener = answering(loop, events, 5)(_.closeGracefully(3600 * second, 1000))
      withClient(listener) { client =>
        send(client, "x")
        receive(client, 5)
        assert(atEnd(client))
        events.expect("data x")
        events.expectNothing(30)
      }
      events.expect("closed")
    }
  }

  test("lingering ends after its time") {
    withLoop { loop =>
      val events   = new Events
      val listener = answering(loop, events, 5)(_.closeGracefully(second / 20, 1000))
      withClient(listener) { client =>
        send(client, "x")
        receive(client, 5)
        assert(atEnd(client))
        events.expect("data x", "closed")
      }
    }
  }

  test("lingering ends after so many bytes") {
    withLoop { loop =>
      val events   = new Events
      val listener = answering(loop, events, 5)(_.closeGracefully(3600 * second, 1000))
      withClient(listener) { client =>
        send(client, "x")
        receive(client, 5)
        assert(atEnd(client))
        client.getOutputStream.write(new Array[Byte](2000))
        events.expect("data x", "closed")
      }
    }
  }

  test("no time or no bytes to linger: closed at once") {
    withLoop { loop =>
      val events   = new Events
      val listener = answering(loop, events, 5)(_.closeGracefully(0, 0))
      withClient(listener) { client =>
        send(client, "x")
        receive(client, 5)
        assert(atEnd(client))
        events.expect("data x", "closed")
      }
    }
  }

  test("closing after shutdownOutput, with the reply still pending: all of it arrives, and then the end") {
    withLoop { loop =>
      val events   = new Events
      val listener = answering(loop, events, 8 * 1024 * 1024) { c =>
        c.shutdownOutput()
        c.closeGracefully(3600 * second, 1000)
      }
      withClient(listener) { client =>
        send(client, "x")
        receive(client, 8 * 1024 * 1024)
        assert(atEnd(client))
      }
      events.expect("data x", "closed")
    }
  }

  test("while the reply is pending the deadline still counts") {
    withLoop { loop =>
      val events   = new Events
      val listener = answering(loop, events, 32 * 1024 * 1024) { c =>
        c.closeGracefully(second, 1000)
        c.deadline = loop.nowNanos + second / 20
      }
      withClient(listener) { client =>
        send(client, "x")
        events.expect("data x", "deadline")
      }
      assert(events.next().startsWith("closed"))
    }
  }

  test("close drops what is pending, and the handler hears of it after it has returned") {
    withLoop { loop =>
      val events   = new Events
      val listener = answering(loop, events, 32 * 1024 * 1024) { c =>
        events.add(if (c.pendingBytes > 0) "pending" else "all written")
        c.close()
        c.close()
        events.add(s"${c.pendingBytes} pending after close")
      }
      withClient(listener) { client =>
        send(client, "x")
        events.expect("data x", "pending", "0 pending after close", "closed")
        events.expectNothing(20)
      }
    }
  }

  test("abort resets the connection") {
    withLoop { loop =>
      val events   = new Events
      val listener = answering(loop, events, 5)(_.abort())
      withClient(listener) { client =>
        send(client, "x")
        events.expect("data x", "closed")
        // What was written may or may not have arrived; what follows is an error, not an end.
        intercept[java.io.IOException] {
          while (!atEnd(client)) ()
        }
      }
    }
  }
}
