package needletail.io

import scala.concurrent.duration._
import scala.concurrent.{Await, Promise}

import needletail.io.platform.ListenOptions

class EchoSuite extends LoopSuite {

  test("what is sent comes back") {
    withLoop { loop =>
      val listener = listen(loop)(new Echo(_))
      withClient(listener) { client =>
        for (i <- 1 to 100) {
          send(client, s"line $i\n")
          assertEquals(receive(client, s"line $i\n".length), s"line $i\n")
        }
        client.shutdownOutput()
        assert(atEnd(client))
      }
    }
  }

  test("megabytes come back whole and in order, though the client reads late") {
    withLoop { loop =>
      val accepted = Promise[Connection]()
      val listener = listen(loop) { c => accepted.success(c); new Echo(c) }
      withClient(listener) { client =>
        val sent   = Array.tabulate(8 * 1024 * 1024)(i => (i * 31 + i / 251).toByte)
        val writer = new Thread(() => {
          client.getOutputStream.write(sent)
          client.shutdownOutput()
        })
        writer.start()
        val echo = Await.result(accepted.future, patience)
        untilStill(on(loop)(echo.bytesRead), 50.millis) // as much is on its way as there is room for
        val got = new Array[Byte](sent.length)
        var n   = 0
        while (n < got.length) {
          val r = client.getInputStream.read(got, n, got.length - n)
          assert(r > 0, s"ended after $n bytes")
          n += r
        }
        assert(java.util.Arrays.equals(got, sent))
        assert(atEnd(client))
        writer.join()
      }
    }
  }

  test("many connections over several loops, each for itself") {
    withLoops(3) { loops =>
      val listener =
        Listener.bind(
          anyPort,
          loops(0),
          ListenOptions(),
          _.start(loops.next(), ConnectionOptions())(new Echo(_))
        )
      val clients = Vector.fill(60)(new java.net.Socket("127.0.0.1", portOf(listener)))
      try
        for (round <- 1 to 3) {
          clients.zipWithIndex.foreach { case (c, i) => send(c, f"$round%02d:$i%04d") }
          clients.zipWithIndex.foreach { case (c, i) => assertEquals(receive(c, 7), f"$round%02d:$i%04d") }
        }
      finally clients.foreach(_.close())
    }
  }

  test("our own connector meets our own listener, on one loop") {
    withLoop { loop =>
      val events   = new Events
      val listener = listen(loop)(new Echo(_))
      val client   = connect(loop, listener.address)(_ => new Recorder(events))
      on(loop) {
        assertEquals(client.remoteAddress, listener.localAddress)
        client.write("hello".getBytes, 0, 5)
      }
      events.expect("data hello")
      on(loop)(client.shutdownOutput())
      events.expect("end")
      on(loop) {
        assertEquals(client.bytesRead, 5L)
        assertEquals(client.bytesWritten, 5L)
        client.close()
      }
      events.expect("closed")
      assertEquals(on(loop)(client.isOpen), false)
    }
  }

  test("a reset is told as the cause of the end") {
    withLoop { loop =>
      val events   = new Events
      val listener = listen(loop)(_ => new Recorder(events))
      val client   = connect(loop, listener.address)(_ => new Recorder(new Events))
      on(loop)(client.write("x".getBytes, 0, 1))
      events.expect("data x")
      on(loop)(client.abort())
      assert(events.next().startsWith("closed by "))
    }
  }

  test("an exception of the handler closes its connection and no other, and is reported") {
    withLoop { loop =>
      val reported = new Events
      val before   = EventLoop.onFailure
      EventLoop.onFailure = (_, e) => reported.add(e.getMessage)
      try {
        val events   = new Events
        val listener = listen(loop)(_ =>
          new Recorder(events) {
            override def use(text: String): Int =
              if (text == "bad") throw new RuntimeException("a bad handler") else text.length
          }
        )
        withClient(listener) { good =>
          withClient(listener) { bad =>
            send(bad, "bad")
            assert(atEnd(bad))
          }
          events.expect("data bad", "closed by a bad handler")
          reported.expect("a bad handler")
          send(good, "good")
          events.expect("data good")
        }
        events.expect("end")
      } finally EventLoop.onFailure = before
    }
  }

  test("ending the loops closes their connections and listeners") {
    val events = new Events
    val port   = withLoops(2) { loops =>
      val listener = Listener.bind(
        anyPort,
        loops(0),
        ListenOptions(),
        _.start(loops(1), ConnectionOptions())(_ => new Recorder(events))
      )
      val client = new java.net.Socket("127.0.0.1", portOf(listener))
      send(client, "x")
      events.expect("data x")
      portOf(listener)
    }
    events.expect("closed")
    eventually(scala.util.Try(new java.net.Socket("127.0.0.1", port).close()).isFailure, "it still listens")
  }
}
