package needletail.simulation.tls

import java.io.IOException

import needletail.io.tls.TlsProfile
import needletail.io.{Tls, TlsCertificate, TlsClientConfig, TlsServerConfig, TlsTrust}

/**
 * By OpenSSL, through the library's own sockets, over memory: TLS 1.3 alone, and no new keys or other handshakes, as the
 * library asks for none.
 */
final class PlatformTalks extends TlsTalks {
  private val clients = scala.collection.mutable.Map.empty[(String, String), Tls]

  private lazy val identity = Tls.server(TlsServerConfig(Seq(PlatformTalks.certificate(TestKeys.one))))

  def client(name: String, isOld: Boolean, showing: String): TlsTalk = {
    val tls = clients.getOrElseUpdate(
      (name, showing),
      Tls.client(TlsClientConfig(
        TlsTrust.Unchecked,
        certificate = Option(showing).map(PlatformTalks.certificate),
        serverName = Some(name),
        profile = TlsProfile.Modern
      ))
    )
    val memory = new MemorySocket
    new SocketTalk(memory, tls.over(memory, name, 1), isClient = true)
  }

  def server(): TlsTalk = {
    val memory = new MemorySocket
    new SocketTalk(memory, identity.over(memory, null), isClient = false)
  }
}

object PlatformTalks {

  /** Why there is no TLS here; null if there is. */
  lazy val missing: String =
    try {
      Tls.unchecked.over(new MemorySocket, "localhost", 1).close()
      null
    } catch { case e: IOException => e.getMessage }

  /** Whether a visitor can ask for new keys, and for another handshake. */
  val beginsAnew: Boolean = false

  private def certificate(pem: String): TlsCertificate =
    TlsCertificate(TestKeys.file(pem), TestKeys.file(TestKeys.key))
}
