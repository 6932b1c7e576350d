package needletail.io.tls

import java.io.InputStream
import java.net.{InetSocketAddress, Socket}
import java.nio.file.Files

import scala.concurrent.duration.*

import needletail.io.Connection
import needletail.io.platform.ConnectionOptions

/** Handshakes whose output the client does not read. */
class OpenSslOwedSuite extends TlsPair {

  /** The greeting of a client with TLS 1.2, which is answered with the certificate as it is. */
  private def greeting: Array[Byte] = ClientHello(Seq(0xc02b)) { extend =>
    extend(10, Array[Byte](0, 2, 0, 23)) // supported_groups: P-256
    extend(11, Array[Byte](1, 0))        // ec_point_formats: uncompressed
    extend(13, Array[Byte](0, 2, 4, 3))  // signature_algorithms: ECDSA with SHA-256
  }

  /** A certificate and many issuers, which are longer than what both systems take at once. */
  private lazy val long: TlsServerConfig = {
    val issued = authority.issue((1 to 1000).map(i => s"DNS:n$i.example").mkString(","))
    val chain  = authority.file("long.pem")
    val own    = Files.readAllBytes(issued.chain)
    Files.write(chain, Array.fill(20)(own).flatten)
    TlsServerConfig(Seq(TlsCertificate(chain, issued.key)))
  }
  private val Least = 20 * 1000 * "DNS:".length

  private val Room = 4096

  private def withSilent(served: Served)(body: Socket => Unit): Unit = {
    val client = new Socket
    client.setReceiveBufferSize(Room)
    client.setSoTimeout(patience.toMillis.toInt)
    client.connect(new InetSocketAddress("127.0.0.1", served.port))
    try body(client)
    finally client.close()
  }

  private def countOf(input: InputStream): Int = {
    val bytes = new Array[Byte](Room)
    Iterator.continually(input.read(bytes)).takeWhile(_ >= 0).sum
  }

  /** `end` is what its owner does while the handshake has output that the client's system does not take. */
  private def ending(how: String)(end: Connection => Unit): Unit =
    tlsTest(s"a loop waits for room for what a handshake owes, though $how and the client sends on") {
      serving(long, options = ConnectionOptions(sendBuffer = Some(Room))) { served =>
        withSilent(served) { client =>
          client.getOutputStream.write(greeting)
          val handler    = served.nextHandler()
          val connection = served.connections.peek
          eventually(on(served.loop)(connection.socket.owesOutput), s"nothing is owed: ${handler.events}")
          on(served.loop)(end(connection))
          client.getOutputStream.write(Array[Byte](20, 3, 3, 0, 1, 1)) // which is not read before that
          untilAsleep(served.loop)
          untilStill(served.loop.nowNanos, 100.millis) // a loop that turns moves its clock on
          assert(handler.events.isEmpty, handler.events)
          assert(countOf(client.getInputStream) > Least)
          client.close()
          assert(handler.next().startsWith("closed"))
        }
      }
    }

  ending("the connection is closed")(_.closeGracefully(patience.toNanos, 1024))
  ending("its output is ended")(_.shutdownOutput())
}
