package needletail.io.tls

import java.io.IOException

/** Records that are not valid, behind others that are. */
class TlsBadRecordSuite extends MemoryPair {
  private val bad = Array[Byte](23, 3, 3, 0, 32) ++ new Array[Byte](32)

  tlsTest("what came before a record that cannot be decrypted is read, and then reading fails") {
    for (size <- Seq(65536, 4)) connected { (end, client, server) =>
      val sent = "a request".getBytes
      client.write(sent, 0, sent.length)
      end.write(bad, 0, bad.length)
      val room = new Array[Byte](size)
      var got  = ""
      val why  = intercept[IOException] {
        while (true) {
          val n = server.read(room, 0, size)
          got += new String(room, 0, math.max(0, n))
          assert(server.holdsInput, "nothing says that it is to be read on")
        }
      }
      assertEquals(got, "a request", why)
    }
  }
}
