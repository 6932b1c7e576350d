package needletail.io.tls

import java.io.IOException
import java.util.Random

import needletail.io.platform.Socket

/** What is reported as written over TLS when the network fails in the middle of a call. */
class TlsWriteSuite extends MemoryPair {

  /** What the other side decrypts. A read may return nothing for a part of a record, with more behind it. */
  private def received(server: Socket): Array[Byte] = {
    val all   = new java.io.ByteArrayOutputStream
    val room  = new Array[Byte](65536)
    var empty = 0 // reads in a row
    while (empty < 2) {
      val n = server.read(room, 0, room.length)
      if (n > 0) {
        all.write(room, 0, n)
        empty = 0
      } else empty += 1
    }
    all.toByteArray
  }

  private val content = new Array[Byte](400000)
  new Random(1).nextBytes(content)

  tlsTest("what was sent before it fails counts as written, and further writes fail") {
    for (succeed <- Seq(1, 2)) connected { (end, client, server) =>
      end.writes = succeed
      val n = client.write(content, 0, content.length)
      assert(n >= succeed * 32768 && n < content.length, n)
      val got = received(server)
      assert(java.util.Arrays.equals(got, content.take(n)), s"of $n bytes, ${got.length} were received")
      for (_ <- 1 to 2) {
        intercept[IOException](client.write(content, n, content.length - n))
        end.writes = 1 // it does not recover: what was encrypted is lost
      }
      assertEquals(received(server).length, 0)
    }
  }

  tlsTest("the same for the first of two arrays") {
    connected { (end, client, server) =>
      end.writes = 1
      assertEquals(client.writeBoth(content, 1000, content, 1000, 1000), 1000)
      assert(java.util.Arrays.equals(received(server), content.take(1000)), "something else was received")
      end.writes = 1
      intercept[IOException](client.write(content, 1000, 1000))
      assertEquals(received(server).length, 0)
    }
  }

  tlsTest("nothing counts if the first write fails, and further ones fail") {
    connected { (end, client, server) =>
      end.writes = 0
      intercept[IOException](client.write(content, 0, content.length))
      end.writes = 1
      intercept[IOException](client.write(content, 0, 1))
      assertEquals(received(server).length, 0)
    }
  }
}
