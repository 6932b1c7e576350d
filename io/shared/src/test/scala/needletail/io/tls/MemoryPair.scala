package needletail.io.tls

import java.io.IOException

import needletail.io.{Tls, TlsIdentity}
import needletail.io.platform.{ConnectionOptions, Socket}

/** Both sides of a connection in memory, secured by TLS. */
abstract class MemoryPair extends TlsPair {

  /** One end of a connection in memory. */
  final class End extends Socket {
    var peer: End   = null
    var writes      = Int.MaxValue // how many succeed
    var room        = Int.MaxValue // bytes that one takes
    private val in  = new java.io.ByteArrayOutputStream
    private var got = 0            // bytes of it

    def read(bytes: Array[Byte], from: Int, count: Int): Int = {
      val all = in.toByteArray
      val n   = math.min(count, all.length - got)
      System.arraycopy(all, got, bytes, from, n)
      got += n
      n
    }
    def write(bytes: Array[Byte], from: Int, count: Int): Int = {
      if (writes == 0) throw new IOException("the network failed")
      writes -= 1
      val n = math.min(count, room)
      peer.in.write(bytes, from, n)
      n
    }
    def finishConnect(): Boolean                    = true
    def shutdownOutput(): Unit                      = ()
    def resetOnClose(): Unit                        = ()
    def configure(options: ConnectionOptions): Unit = ()
    def remoteAddress: String                       = "127.0.0.1:443"
    def localAddress: String                        = "127.0.0.1:4711"
    override def close(): Unit                      = ()
  }

  /** Passes the client's end, and both sides secured over a connection that is established. */
  private[io] def connected(body: (End, Socket, Socket) => Unit): Unit = connected(Tls.server(config))(body)

  /** The same with another identity of the server; `before` has its side before the handshake. */
  private[io] def connected(identity: TlsIdentity, before: Socket => Unit = _ => ())(
      body: (End, Socket, Socket) => Unit
  ): Unit = {
    val (a, b) = (new End, new End)
    a.peer = b
    b.peer = a
    val client = trusting.over(a, "localhost", 443)
    val server = identity.over(b, null)
    before(server)
    val room = new Array[Byte](65536)
    try {
      var turns = 0
      while ((!client.finishConnect() || server.isShakingHands) && turns < 20) {
        server.read(room, 0, room.length)
        turns += 1
      }
      assert(!server.isShakingHands, "there is no handshake")
      body(a, client, server)
    } finally {
      client.close()
      server.close()
    }
  }
}
