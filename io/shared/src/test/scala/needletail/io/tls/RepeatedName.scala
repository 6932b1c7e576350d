package needletail.io.tls

import java.io.DataInputStream
import java.net.Socket as PlainSocket

/** A client that may ask for another name when it repeats its ClientHello (RFC 8446 section 4.1.2). */
abstract class RepeatedName extends TlsPair {
  lazy val shop = {
    val issued = authority.issue("DNS:shop.example", subject = "shopcn")
    TlsCertificate(issued.chain, issued.key)
  }
  def both: TlsServerConfig = TlsServerConfig(Seq(local, shop))

  /** A client of TLS 1.3, with a key share of X25519, whose number is 29, if it `hasShare`. */
  private def greeting(name: String, hasShare: Boolean): Array[Byte] =
    ClientHello(Seq(0x1301)) { extend =>
      extend(0, ClientHello.list(ClientHello.name(name)))
      extend(10, Array[Byte](0, 2, 0, 29))
      extend(13, Array[Byte](0, 4, 4, 3, 8, 4))
      extend(43, Array[Byte](2, 3, 4))
      val key = 9.toByte +: new Array[Byte](31)
      extend(51, if (hasShare) Array[Byte](0, 36, 0, 29, 0, 32) ++ key else Array[Byte](0, 0))
    }

  /** What a client gets that asks for one name at first, and for another one when it repeats that. */
  def answer(port: Int, first: String, second: String): String = {
    val socket = new PlainSocket("127.0.0.1", port)
    try {
      socket.setSoTimeout(patience.toMillis.toInt)
      val in = new DataInputStream(socket.getInputStream)

      /** The next record that is not change_cipher_spec: `alert 47`, or the kind of its first message. */
      def next(): String = {
        val kind = in.readByte()
        in.readShort()
        val record = new Array[Byte](in.readUnsignedShort())
        in.readFully(record)
        if (kind == 20) next() else if (kind == 21) s"alert ${record(1)}" else s"message ${record(0)}"
      }
      socket.getOutputStream.write(greeting(first, hasShare = false))
      assertEquals(next(), "message 2") // the HelloRetryRequest
      socket.getOutputStream.write(greeting(second, hasShare = true))
      next()
    } finally socket.close()
  }
}
