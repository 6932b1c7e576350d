package needletail.io.system.tls

import java.nio.ByteBuffer
import java.nio.channels.SocketChannel
import javax.net.ssl.SSLContext

import needletail.testing.Suite

/** What shows that a peer of TLS reads. */
class EncryptedSocketSuite extends Suite {
  private val channel = SocketChannel.open()

  /** A peer that takes 2 GiB at a time. */
  private final class Fast extends EncryptedSocket(channel, SSLContext.getDefault.createSSLEngine()) {
    protected def heard(): Unit                              = ()
    override private[io] def put(encrypted: ByteBuffer): Int = {
      encrypted.position(encrypted.limit())
      Int.MaxValue
    }
    def give(): Boolean = {
      pending = ByteBuffer.allocate(1)
      drain()
    }
  }

  test("the count of what the peer has taken grows beyond 2 GiB") {
    try {
      val fast = new Fast
      for (_ <- 1 to 3) assert(fast.give())
      assertEquals(fast.encryptedTaken, 3L * Int.MaxValue)
    } finally channel.close()
  }
}
