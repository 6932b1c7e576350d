package needletail.io.system

import scala.scalanative.unsafe.*

import java.io.IOException
import java.nio.file.{Files, NoSuchFileException, Path}

import needletail.io.{Tls, TlsIdentity}
import needletail.io.platform.Socket

/** Settings of OpenSSL, from bytes that have been read before. */
private[io] object OpenSslSettings {
  private final val Tls12 = 0x0303
  private final val Tls13 = 0x0304

  /** Mozilla's intermediate profile, without the Diffie-Hellman groups that need parameters. */
  private val Ciphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:" +
      "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"
  private val Groups = "X25519:P-256:P-384"

  def newContext(isServer: Boolean): Ptr[Byte] = Zone.acquire { implicit zone =>
    OpenSsl.load()
    val made = OpenSslFunctions.context(
      if (isServer) 1 else 0,
      Tls12,
      Tls13,
      toCString(Ciphers),
      toCString(Groups)
    )
    if (made eq null) throw new IOException("no memory for TLS")
    made
  }

  /** Runs `f` with `context`, which is released if it fails. */
  def keeping(context: Ptr[Byte])(f: => Unit): Ptr[Byte] =
    try {
      f
      context
    } catch {
      case e: Throwable =>
        OpenSslFunctions.release(context)
        throw e
    }

  def read(file: Path): Array[Byte] =
    try Files.readAllBytes(file)
    catch { case e: NoSuchFileException => throw new IOException(s"$file (No such file or directory)", e) }

  def use(context: Ptr[Byte], files: CertificateFiles): Unit = {
    import files.*
    val wrong =
      OpenSslFunctions.certificate(context, chain.at(0), chain.length, secret.at(0), secret.length, null)
    if (wrong ne null) throw new IOException(fromCString(wrong) match {
      case "no certificate" => s"$certificates has no X.509 certificates in PEM"
      case "no key"         => s"$key has no private key in PEM"
      case "not its key"    => s"the key of $key is not the certificate's"
      case text             => s"$certificates and $key cannot be used: $text"
    })
  }
}

/** A certificate chain and its key, as the files contained them. */
private[io] final class CertificateFiles(val certificates: Path, val key: Path) {
  val chain: Array[Byte]  = OpenSslSettings.read(certificates)
  val secret: Array[Byte] = OpenSslSettings.read(key)
  if (chain.isEmpty) throw new IOException(s"$certificates has no X.509 certificates in PEM")
  if (secret.isEmpty) throw new IOException(s"$key has no private key in PEM")
}

/** @param trusted certificates in PEM; null for those of the system */
private[io] final class OpenSslTls(trusted: Array[Byte], isChecked: Boolean) extends Tls {
  private val contexts = new OpenSslContexts(() => make())

  private def make(): Ptr[Byte] = {
    val context = OpenSslSettings.newContext(isServer = false)
    OpenSslSettings.keeping(context) {
      if (isChecked) {
        OpenSslFunctions.verify(context, 1)
        if (trusted ne null) { OpenSslFunctions.trust(context, trusted.at(0), trusted.length); () }
        else {
          val wrong = OpenSslFunctions.trustSystem(context)
          if (wrong ne null) throw new IOException(s"TLS is not available: ${fromCString(wrong)}")
        }
      }
    }
  }

  private[io] def over(socket: Socket, name: String, port: Int): Socket =
    try Zone.acquire { implicit zone =>
        val plain = socket.asInstanceOf[KernelSocket]
        val made  = OpenSslFunctions.open(
          contexts.here(),
          plain.fd,
          toCString(name),
          toCString(s"$name:$port"),
          if (isChecked) 1 else 0
        )
        if (made eq null) throw new IOException("no memory for TLS")
        new OpenSslSocket(plain, made, name)
      }
    catch {
      case e: Throwable =>
        socket.close()
        throw e
    }
}

private[io] object OpenSslTls {
  def trusting(file: Path): Tls = {
    val pem   = OpenSslSettings.read(file)
    val probe = OpenSslSettings.newContext(isServer = false)
    val count =
      try if (pem.isEmpty) 0 else OpenSslFunctions.trust(probe, pem.at(0), pem.length)
      finally OpenSslFunctions.release(probe)
    if (count == 0) throw new IOException(s"$file has no X.509 certificates in PEM")
    new OpenSslTls(pem, isChecked = true)
  }
}

private[io] final class OpenSslIdentity(files: CertificateFiles) extends TlsIdentity {
  private val tickets = {
    OpenSsl.load()
    OpenSslFunctions.tickets(OpenSslIdentity.TicketKeySeconds)
  }
  private val contexts = new OpenSslContexts(() => make())
  OpenSslFunctions.release(make()) // so that what is wrong with the files is known now

  private def make(): Ptr[Byte] = {
    val context = OpenSslSettings.newContext(isServer = true)
    OpenSslSettings.keeping(context) {
      OpenSslSettings.use(context, files)
      if (tickets ne null) OpenSslFunctions.resume(context, tickets)
    }
  }

  private[io] def over(socket: Socket): Socket = {
    val plain = socket.asInstanceOf[KernelSocket]
    val made  = OpenSslFunctions.open(contexts.here(), plain.fd, null, null, 0)
    if (made eq null) throw new IOException("no memory for TLS")
    new OpenSslSocket(plain, made, "the client")
  }
}

private[io] object OpenSslIdentity {

  /** How long a key of session tickets is used for new ones; those of the key before are accepted. */
  private final val TicketKeySeconds = 12L * 60 * 60
}
