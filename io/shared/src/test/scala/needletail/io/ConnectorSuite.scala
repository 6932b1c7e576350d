package needletail.io

import java.io.IOException

class ConnectorSuite extends LoopSuite {

  private def failure(loop: EventLoop, address: Address): String =
    intercept[IOException](connect(loop, address)(_ => new Recorder(new Events))).getMessage

  test("a name with several addresses: the one that answers is found") {
    withLoop { loop =>
      val events   = new Events
      val listener = listen(loop)(new Echo(_)) // 127.0.0.1 only; localhost may be ::1 first
      val client   = connect(loop, Address.Tcp("localhost", portOf(listener)))(_ => new Recorder(events))
      on(loop)(client.write("hello".getBytes, 0, 5))
      events.expect("data hello")
    }
  }

  test("from an address of this machine that was chosen") {
    withLoop { loop =>
      val events   = new Events
      val listener = listen(loop) { c =>
        events.add(c.remoteAddress.takeWhile(_ != ':'))
        new Echo(c)
      }

      def connectFrom(source: String): Unit = on(loop) {
        val from = java.net.InetAddress.getByName(source)
        Connector.connect(listener.address, loop, source = from)(_ => new Recorder(events)).onComplete(t =>
          t.failed.foreach(e => events.add(e.getCause.getClass.getSimpleName))
        )
      }
      connectFrom("127.0.0.2")
      events.expect("127.0.0.2")
      connectFrom("192.0.2.1") // for documentation (RFC 5737): nobody's
      events.expect("BindException")
    }
  }

  test("nobody listens: the message names the address") {
    withLoop { loop =>
      val listener = listen(loop)(new Echo(_))
      listener.close()
      on(loop)(())
      val text = failure(loop, listener.address)
      assert(text.startsWith(s"cannot connect to ${listener.address}: "), text)
      assert(text.toLowerCase.contains("refused"), text)
    }
  }

  test("a name that nobody has") {
    withLoop { loop =>
      assertEquals(
        failure(loop, Address.Tcp("no-such-host.invalid", 80)),
        "cannot connect to no-such-host.invalid:80: unknown host"
      )
    }
  }

  test("no answer in time: it fails then, and the loop has been free all along") {
    withLoop { loop =>
      // A backlog of one that is full: the kernel does not answer any more.
      val full  = new java.net.ServerSocket(0, 1, java.net.InetAddress.getByName("127.0.0.1"))
      val fills = Vector.fill(4)(new java.net.Socket)
      try {
        fills.foreach { s =>
          try s.connect(new java.net.InetSocketAddress("127.0.0.1", full.getLocalPort), 50)
          catch { case _: IOException => () } // which means that it is full
        }
        val events = new Events
        on(loop) {
          Connector
            .connect(Address.Tcp("127.0.0.1", full.getLocalPort), loop, timeoutNanos = 60L * 1000 * 1000)(_ =>
              new Recorder(events)
            )
            .onComplete(t => events.add(t.failed.get.getMessage))
        }
        assert(on(loop)(loop.inLoop))
        events.expect(s"cannot connect to 127.0.0.1:${full.getLocalPort}: no answer within 60 ms")
      } finally {
        fills.foreach(_.close())
        full.close()
      }
    }
  }

  test("a handler that cannot be made fails the result and closes the connection") {
    withLoop { loop =>
      val events   = new Events
      val listener = listen(loop)(_ => new Recorder(events))
      val e        = intercept[RuntimeException] {
        connect(loop, listener.address)(_ => throw new RuntimeException("no handler"))
      }
      assertEquals(e.getMessage, "no handler")
      events.expect("end")
    }
  }

  test("asking from another thread is refused") {
    withLoop { loop =>
      intercept[IllegalStateException](Connector.connect(anyPort, loop)(new Echo(_)))
    }
  }
}
