package needletail.io

import java.io.IOException

import needletail.io.platform.{ListenOptions, Socket, TlsServerContext}
import needletail.io.proxyprotocol.TrustedProxies
import needletail.io.tls.{HandshakeFailure, TlsCounts}

/** Whatever becomes of an accepted socket, its end is told once and its descriptor given back. */
class AcceptedSocketSuite extends LoopSuite {

  private final class UnknownPeer(events: Events) extends StubSocket {
    override def remoteAddress: String = throw new IllegalStateException("no address")
    override def close(): Unit         = events.add("socket closed")
  }

  private def brokenIdentity(failure: () => Throwable): TlsIdentity = {
    val broken = new TlsServerContext {
      def over(socket: Socket, counts: TlsCounts, toPlain: Array[Byte]): Socket = throw failure()
      def certificates: Seq[CertificateInfo]                                    = Nil
    }
    new TlsIdentity(TlsLimits(), () => broken, Nil)
  }

  /** What is told of one connection that is accepted by `begin`; its client sees the end too. */
  private def told(begin: (EventLoop, AcceptedSocket, Events) => Unit)(expected: String*): Unit = {
    val before = EventLoop.onFailure
    EventLoop.onFailure = (_, _) => ()
    try
      withLoop { loop =>
        val events   = new Events
        val listener = Listener.bind(anyPort, loop, ListenOptions(), begin(loop, _, events))
        withClient(listener) { client =>
          val over =
            try atEnd(client)
            catch { case _: IOException => true }
          assert(over)
          events.expect(expected*)
        }
        events.expectNothing(50)
      }
    finally EventLoop.onFailure = before
  }

  private def gone(events: Events): Runnable = () => events.add("gone")

  test("fault 5: the end of a connection is told, after its handler has been") {
    told((loop, socket, events) =>
      socket.start(loop, ConnectionOptions(), gone = gone(events)) { c =>
        c.deadline = loop.nowNanos
        new Recorder(events) {
          override def onDeadline(): Unit = c.close()
        }
      }
    )("closed", "gone")
  }

  test("fault 5: the end is told where a handler fails on its own end") {
    told((loop, socket, events) =>
      socket.start(loop, ConnectionOptions(), gone = gone(events)) { c =>
        c.deadline = loop.nowNanos
        new Recorder(events) {
          override def onDeadline(): Unit               = c.close()
          override def onClosed(cause: Throwable): Unit = throw new RuntimeException("not even that")
        }
      }
    )("gone")
  }

  test("fault 5: the end is told where there is no handler") {
    told((loop, socket, events) =>
      socket.start(loop, ConnectionOptions(), gone = gone(events))(_ =>
        throw new RuntimeException("no handler")
      )
    )("gone")
  }

  test(
    "fault 5: the end is told where the connection is not configured, as its descriptor is closed already"
  ) {
    told { (loop, socket, events) =>
      socket.close()
      socket.start(loop, ConnectionOptions(), gone = gone(events)) { _ =>
        events.add("a handler")
        new Recorder(events)
      }
    }("gone")
  }

  for (
    failure <- Seq(new IOException("no TLS"), new IllegalStateException("no TLS"), new NoClassDefFoundError)
  )
    test(s"fault 5: the end is told where TLS fails to begin with ${failure.getClass.getSimpleName}") {
      val identity = brokenIdentity(() => failure)
      told((loop, socket, events) =>
        socket.start(loop, ConnectionOptions(), identity, gone = gone(events)) { _ =>
          events.add("a handler")
          new Recorder(events)
        }
      )("gone")
      // it was not open: otherwise there would seem to be one silent client less than there is
      assertEquals((identity.counts.open, identity.counts.failed(HandshakeFailure.Silent)), (0L, 1L))
    }

  test("the end is told where it cannot be found out whether the peer is a proxy that is trusted") {
    val before = EventLoop.onFailure
    EventLoop.onFailure = (_, _) => ()
    try
      withLoop { loop =>
        val events = new Events
        val nobody = new UnknownPeer(events)
        on(loop) {
          intercept[IllegalStateException](
            new AcceptedSocket(nobody, isUnix = false).start(
              loop,
              ConnectionOptions(),
              proxies = new TrustedProxies(Seq("0.0.0.0/0")),
              gone = gone(events)
            )(_ => new Recorder(events))
          )
        }
        events.expect("socket closed", "gone")
        events.expectNothing(50)
      }
    finally EventLoop.onFailure = before
  }

  test("fault 5: the end is told where the loop has ended") {
    val ended = withLoop(identity)
    told((_, socket, events) =>
      socket.start(ended, ConnectionOptions(), gone = gone(events))(_ => new Recorder(events))
    )("gone")
  }
}
