package needletail.io.tls

import java.nio.ByteBuffer
import javax.net.ssl.SSLContext
import javax.net.ssl.SSLEngineResult.HandshakeStatus

import needletail.io.Tls
import needletail.io.system.tls.Trust

/** How much of what has arrived one read takes, and what it keeps. */
class TlsRecordsSuite extends MemoryPair {

  /** The first message of a client in records of so many bytes. */
  private def greeting(size: Int): Seq[Array[Byte]] = {
    val context = SSLContext.getInstance("TLS")
    context.init(null, Array(Trust.everybody), null)
    val engine = context.createSSLEngine("localhost", 1)
    engine.setUseClientMode(true)
    val record = ByteBuffer.allocate(engine.getSession.getPacketBufferSize)
    engine.beginHandshake()
    while (engine.getHandshakeStatus == HandshakeStatus.NEED_WRAP) engine.wrap(ByteBuffer.allocate(0), record)
    record.array.slice(5, record.position()).grouped(size).map { part =>
      Array[Byte](22, 3, 1, 0, part.length.toByte) ++ part
    }.toSeq
  }

  test(
    "a handshake in tiny records is read sixteen at a time, so that a loop gets to its other connections"
  ) {
    val (client, end) = (new End, new End)
    client.peer = end
    end.peer = client
    val server  = Tls.server(config).over(end, null)
    val records = greeting(4)
    val all     = records.flatten.toArray
    assertEquals(client.write(all, 0, all.length), all.length)
    val room = new Array[Byte](65536)
    try {
      for (read <- 1 until (records.length + 15) / 16) {
        assertEquals(server.read(room, 0, room.length), 0)
        assertEquals(server.heldBytes, all.length - read * 16 * 9)
        assert(server.holdsInput, "the rest would never be read")
        assertEquals(client.read(room, 0, room.length), 0)
      }
      assertEquals(server.read(room, 0, room.length), 0)
      assertEquals(server.heldBytes, 0)
      assert(!server.holdsInput)
      assert(client.read(room, 0, room.length) > 0, "there is no answer")
      assertEquals(room(0), 22.toByte)
    } finally server.close()
  }

  test("of a record for which there is less room than it has bytes only the rest is kept") {
    connected { (_, client, server) =>
      val content = Array.tabulate(16000)(_.toByte)
      val room    = new Array[Byte](8192)
      assertEquals(client.write(content, 0, content.length), content.length)
      assertEquals(server.read(room, 0, room.length), room.length)
      assertEquals(server.heldBytes, content.length - room.length)
      assertEquals(room.toSeq, content.take(room.length).toSeq)
      assertEquals(server.read(room, 0, room.length), content.length - room.length)
      assertEquals(room.take(7808).toSeq, content.drop(8192).toSeq)
      assertEquals(server.heldBytes, 0)
    }
  }
}
