package needletail.io.tls

import needletail.io.{Connection, ConnectionTimer, Listener, LoopSuite, StubSocket, Tls}
import needletail.io.platform.{ConnectionOptions, ListenOptions}
import needletail.testing.TemporaryDirectories

/** What a server sees of a client that takes its time over the TLS handshake. */
class HandshakeProgressSuite extends LoopSuite with TemporaryDirectories {
  test("a handshake proceeds when its client sends something, and not while it is silent") {
    if (Tls.isKnown) withLoop { loop =>
      val issued                         = newAuthority().issue("DNS:localhost")
      val identity                       = Tls.server(TlsServerConfig(issued.chain, issued.key))
      @volatile var accepted: Connection = null
      val listener                       = Listener.bind(
        anyPort,
        loop,
        ListenOptions(),
        _.start(loop, ConnectionOptions(), identity) { connection =>
          accepted = connection
          new Recorder(new Events)
        }
      )
      withClient(listener) { client =>
        eventually(accepted ne null, "it is not accepted")
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
