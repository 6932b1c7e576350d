package needletail.io

import java.io.IOException
import java.net.{InetAddress, Socket as PlainSocket}

import needletail.io.platform.ListenOptions

class ListenerSuite extends LoopSuite {

  private def echoes(host: String, port: Int): Unit = {
    val client = new PlainSocket(InetAddress.getByName(host), port)
    try {
      client.setSoTimeout(patience.toMillis.toInt)
      send(client, "hello")
      assertEquals(receive(client, 5), "hello")
    } finally client.close()
  }

  private def bound(loop: EventLoop, host: String, port: Int = 0): Listener =
    listen(loop, Address.Tcp(host, port))(new Echo(_))

  test("port 0 becomes a real one, in the address and in the text") {
    withLoop { loop =>
      val listener = bound(loop, "127.0.0.1")
      assert(portOf(listener) > 0)
      assertEquals(listener.localAddress, s"127.0.0.1:${portOf(listener)}")
      assertEquals(listener.address.toString, s"127.0.0.1:${portOf(listener)}")
    }
  }

  test("all addresses means IPv4 and IPv6") {
    withLoop { loop =>
      for (host <- List("", "*")) {
        val listener = bound(loop, host)
        echoes("127.0.0.1", portOf(listener))
        echoes("::1", portOf(listener))
        assertEquals(listener.address.toString, s"*:${portOf(listener)}")
        listener.close()
      }
    }
  }

  test("an IPv6 address, and how it is written") {
    withLoop { loop =>
      val events   = new Events
      val listener = listen(loop, Address.Tcp("::1", 0)) { c =>
        events.add(c.localAddress)
        events.add(c.remoteAddress)
        new Echo(c)
      }
      val client = new PlainSocket(InetAddress.getByName("::1"), portOf(listener))
      try events.expect(s"[::1]:${portOf(listener)}", s"[::1]:${client.getLocalPort}")
      finally client.close()
      assertEquals(listener.localAddress, s"[::1]:${portOf(listener)}")
    }
  }

  test("an IPv4 peer of a socket for both kinds is written as IPv4") {
    withLoop { loop =>
      val events   = new Events
      val listener = listen(loop, Address.Tcp("*", 0)) { c =>
        events.add(c.remoteAddress)
        new Echo(c)
      }
      withClient(listener)(client => events.expect(s"127.0.0.1:${client.getLocalPort}"))
    }
  }

  test("a name is looked up") {
    withLoop { loop =>
      val listener = bound(loop, "localhost")
      echoes("127.0.0.1", portOf(listener))
    }
  }

  test("a port in use: the message says which") {
    withLoop { loop =>
      val port = portOf(bound(loop, "127.0.0.1"))
      val e    = intercept[IOException](bound(loop, "127.0.0.1", port))
      assert(e.getMessage.contains(s"cannot listen on 127.0.0.1:$port: "), e.getMessage)
      assert(e.getMessage.contains("in use"), e.getMessage)
    }
  }

  test("an address of another machine, and an unknown name: the message says which") {
    withLoop { loop =>
      val foreign = intercept[IOException](bound(loop, "192.0.2.1")) // reserved for documentation, RFC 5737
      assert(foreign.getMessage.contains("cannot listen on 192.0.2.1:0: "), foreign.getMessage)
      val unknown = intercept[IOException](bound(loop, "no-such-host.invalid")) // RFC 6761
      assert(
        unknown.getMessage.contains("cannot listen on no-such-host.invalid:0: unknown host"),
        unknown.getMessage
      )
    }
  }

  test("a closed port can be bound again at once, though connections of it linger") {
    withLoop { loop =>
      val listener = bound(loop, "127.0.0.1")
      withClient(listener) { client =>
        send(client, "x")
        receive(client, 1)
      }
      listener.close()
      listener.close()
      on(loop)(())
      on(loop)(()) // the descriptor goes at the end of the turn
      bound(loop, "127.0.0.1", portOf(listener))
    }
  }

  test("with reusePort several listeners share a port") {
    withLoops(2) { loops =>
      val options = ListenOptions(reusePort = true)
      val first   =
        Listener.bind(anyPort, loops(0), options, _.start(loops(0), ConnectionOptions())(new Echo(_)))
      val second =
        Listener.bind(first.address, loops(1), options, _.start(loops(1), ConnectionOptions())(new Echo(_)))
      assertEquals(portOf(second), portOf(first))
      for (_ <- 1 to 20) echoes("127.0.0.1", portOf(first))
    }
  }

  test("while paused, connections wait in the backlog") {
    withLoop { loop =>
      val listener = bound(loop, "127.0.0.1")
      on(loop)(listener.pause())
      withClient(listener) { client =>
        send(client, "hello")
        client.setSoTimeout(50)
        intercept[java.net.SocketTimeoutException](receive(client, 5))
        on(loop)(listener.resume())
        client.setSoTimeout(patience.toMillis.toInt)
        assertEquals(receive(client, 5), "hello")
      }
    }
  }

  test("an accepted socket may be refused, and one that the callback fails on is closed") {
    withLoop { loop =>
      val reported = new Events
      val peers    = new Events
      val before   = EventLoop.onFailure
      EventLoop.onFailure = (_, e) => reported.add(e.getMessage)
      try {
        var count    = 0
        val listener = Listener.bind(
          anyPort,
          loop,
          ListenOptions(),
          socket => {
            peers.add(socket.remoteAddress.takeWhile(_ != ':'))
            count += 1
            if (count == 1) socket.close()
            else if (count == 2) throw new RuntimeException("refused by accident")
            else socket.start(loop, ConnectionOptions())(new Echo(_))
          }
        )
        withClient(listener)(client => assert(atEnd(client)))
        withClient(listener)(client => assert(atEnd(client)))
        reported.expect("refused by accident")
        echoes("127.0.0.1", portOf(listener))
        peers.expect("127.0.0.1", "127.0.0.1", "127.0.0.1")
      } finally EventLoop.onFailure = before
    }
  }

  test("a handler that cannot be made closes its own connection and disturbs no other of the same turn") {
    withLoop { loop =>
      val before = EventLoop.onFailure
      EventLoop.onFailure = (_, _) => ()
      try {
        val events   = new Events
        var count    = 0
        val listener = listen(loop) { c =>
          count += 1
          if (count % 2 == 1) throw new RuntimeException("no handler")
          events.add("made")
          new Echo(c)
        }
        on(loop)(listener.pause())
        val clients = Vector.fill(10)(new PlainSocket("127.0.0.1", portOf(listener)))
        on(loop)(listener.resume()) // all are accepted in one turn or, after a failure, in the next
        events.expect(Seq.fill(5)("made")*)
        val ends = clients.map { client =>
          client.setSoTimeout(patience.toMillis.toInt)
          send(client, "x")
          try client.getInputStream.read()
          catch { case _: IOException => -1 }
        }
        assertEquals(ends.count(_ == 'x'), 5)
        assertEquals(ends.count(_ == -1), 5)
        clients.foreach(_.close())
      } finally EventLoop.onFailure = before
    }
  }

  test("a session function that throws keeps no connection of the backlog from being accepted in a drain") {
    withLoop { loop =>
      val reported = new Events
      val before   = EventLoop.onFailure
      EventLoop.onFailure = (_, e) => reported.add(e.getMessage)
      try {
        var count    = 0
        val listener = listen(loop) { c =>
          count += 1
          if (count % 2 == 1) throw new NoClassDefFoundError("no handler")
          new Echo(c)
        }
        on(loop)(listener.pause())
        val clients = Vector.fill(10)(new PlainSocket("127.0.0.1", portOf(listener)))
        on(loop) {
          listener.resume()
          try listener.acceptWaiting()
          finally listener.close()
        }
        reported.expect(Seq.fill(5)("no handler")*)
        val ends = clients.map { client =>
          client.setSoTimeout(patience.toMillis.toInt)
          try {
            send(client, "x")
            client.getInputStream.read()
          } catch { case _: IOException => -1 }
        }
        assertEquals(ends.count(_ == 'x'), 5)
        assertEquals(ends.count(_ == -1), 5)
        clients.foreach(_.close())
      } finally EventLoop.onFailure = before
    }
  }

  test("a socket started on a loop that has ended is closed") {
    withLoop { loop =>
      val ended    = withLoop(identity)
      val listener =
        Listener.bind(anyPort, loop, ListenOptions(), _.start(ended, ConnectionOptions())(new Echo(_)))
      withClient(listener)(client => assert(atEnd(client)))
    }
  }
}
