package needletail.io.system.tls

import scala.scalanative.unsafe.*

import java.io.IOException
import java.util.Base64

import needletail.io.platform.{Socket, TlsClientContext}
import needletail.io.tls.{TlsClientConfig, TlsTrust}

/** A client's side of TLS. Throws an IOException that names the file and the error. */
private[io] final class OpenSslClient(config: TlsClientConfig) extends TlsClientContext {
  private val trusted = config.trust match {
    case TlsTrust.File(file) => Some(PemFile.certificates(file))
    case _                   => None
  }
  private val revoked   = config.revoked.map(PemFile.revoked)
  private val own       = config.certificate.map(new OwnCertificate(_))
  private val pins      = config.pins.toArray.flatMap(Base64.getDecoder.decode(_))
  private val isChecked = config.trust != TlsTrust.Unchecked
  private val contexts  = new OpenSslContexts(() => make())

  // Errors in the files are reported now; if there are none, the library is loaded later.
  if (trusted.nonEmpty || revoked.nonEmpty || own.nonEmpty) OpenSslFunctions.release(make())

  private def make(): Ptr[Byte] =
    OpenSslSettings.context(isServer = false, config.profile, config.resume) { context =>
      if (isChecked) {
        OpenSslFunctions.verify(context, 1)
        if (trusted.isEmpty) {
          val wrong = OpenSslFunctions.trustSystem(context)
          if (wrong ne null) throw new IOException(s"TLS is not available: ${fromCString(wrong)}")
        }
        trusted.foreach(OpenSslSettings.trust(context, _))
        OpenSslSettings.revoked(context, revoked)
        if (pins.nonEmpty && OpenSslFunctions.pins(context, pins.at(0), pins.length / 32) == 0)
          throw OpenSsl.outOfMemory
      }
      own.foreach(OpenSslSettings.own(context, _))
      OpenSslSettings.protocols(context, config.protocols)
    }

  def over(socket: Socket, name: String, port: Int): Socket =
    try {
      OpenSsl.load()
      contexts.here(secure(_, socket, name, port))
    } catch {
      case e: Throwable =>
        socket.close()
        throw e
    }

  private def secure(context: Ptr[Byte], plain: Socket, name: String, port: Int): Socket = {
    // for OpenSSL an empty name is none to check, and one with a leading dot is everybody below it
    if (isChecked && !TlsClientConfig.isName(name))
      throw new IOException("without the name or address of a server its certificate cannot be checked")
    Zone.acquire { implicit zone =>
      val key    = toCString(s"$name:$port")
      val number = OpenSslSocket.numberOf(plain)
      val made   = OpenSslFunctions.open(context, number, toCString(name), key, if (isChecked) 1 else 0)
      if (made eq null) throw OpenSsl.outOfMemory
      new OpenSslSocket(plain, number, made, name, null, null, None)
    }
  }
}
