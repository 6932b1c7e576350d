package needletail.io.tls

import java.net.Socket

import needletail.io.{
  Connection,
  ConnectionTimer,
  EventLoop,
  Listener,
  LoopSuite,
  StubSocket,
  Tls,
  TlsIdentity
}
import needletail.io.platform.{ConnectionOptions, ListenOptions}
import needletail.testing.TemporaryDirectories

/** What a server sees of a client that takes its time over the TLS handshake. */
class HandshakeProgressSuite extends LoopSuite with TemporaryDirectories {

  /** A client that has connected, and the connection of the server, whose handler notes what happens to it. */
  private def connected(loop: EventLoop, identity: TlsIdentity, events: Events)(
      body: (Socket, Connection) => Unit
  ): Unit = {
    @volatile var accepted: Connection = null
    val listener                       = Listener.bind(
      anyPort,
      loop,
      ListenOptions(),
      _.start(loop, ConnectionOptions(), identity) { connection =>
        accepted = connection
        new Recorder(events)
      }
    )
    withClient(listener) { client =>
      eventually(accepted ne null, "it is not accepted")
      body(client, accepted)
    }
  }

  private def withIdentity(body: (EventLoop, TlsIdentity) => Unit): Unit =
    if (Tls.isKnown) withLoop { loop =>
      val issued = newAuthority().issue("DNS:localhost")
      body(loop, Tls.server(TlsServerConfig(issued.chain, issued.key)))
    }

  test("a handshake proceeds when its client sends something, and not while it is silent") {
    withIdentity { (loop, identity) =>
      connected(loop, identity, new Events) { (client, accepted) =>
        def proceeds = on(loop)(accepted.handshakeProceeds())
        assert(!proceeds, "it has sent nothing")
        assert(!proceeds, "it still has sent nothing")
        client.getOutputStream.write(22)
        eventually(identity.counts.present == 1L, "it is not heard")
        assert(proceeds, "it has sent something")
        assert(!proceeds, "it has sent no more")
      }
    }
  }

  test("a client that is closed to make room for others is said to have been silent if it was") {
    withIdentity { (loop, identity) =>
      for (bytes <- Seq(Array.emptyByteArray, Array[Byte](22))) {
        val events = new Events
        connected(loop, identity, events) { (client, accepted) =>
          if (bytes.nonEmpty) client.getOutputStream.write(bytes)
          eventually(identity.counts.present == bytes.length.toLong, "it is not heard")
          eventually {
            on(loop)(accepted.closeStalledHandshake(1, withSilent = true))
            !on(loop)(accepted.isOpen)
          }
          val what = if (bytes.isEmpty) "the client had sent nothing" else "the TLS handshake was stalled"
          events.expect(s"closed by $what while too many others were in progress")
        }
      }
    }
  }

  test("a handshake that begins and ends between two looks has proceeded") {
    var isShaking = true
    val socket    = new StubSocket {
      override def isShakingHands: Boolean = isShaking
    }
    val timer = new ConnectionTimer(null, socket)
    assert(!timer.handshakeProceeds(), "its client has sent nothing")
    isShaking = false
    assert(timer.handshakeProceeds(), "it is complete")
    assert(!timer.handshakeProceeds(), "its end counts once")
  }

  test("without TLS there is no handshake") {
    withLoop { loop =>
      @volatile var accepted: Connection = null
      val listener                       = listen(loop) { connection =>
        accepted = connection
        new Recorder(new Events)
      }
      withClient(listener) { client =>
        send(client, "x")
        eventually(accepted ne null, "it is not accepted")
        assert(!on(loop)(accepted.handshakeProceeds()))
      }
    }
  }
}
