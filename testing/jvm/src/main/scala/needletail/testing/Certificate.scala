package needletail.testing

import java.io.File
import java.nio.file.{Files, Path}
import java.security.KeyStore
import java.security.cert.CertificateFactory
import java.util.Base64
import java.util.concurrent.TimeUnit
import javax.net.ssl.{KeyManagerFactory, SSLContext, TrustManagerFactory}

/**
 * A key and a self-signed certificate, made by the JDK's keytool, valid for two days.
 *
 * @param file the certificate in PEM
 * @param key the key in PEM, PKCS #8
 */
final class Certificate private (val file: Path, val key: Path, store: Path) {

  /** The context of a server with it. */
  lazy val context: SSLContext = {
    val managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm)
    managers.init(Certificate.load(store), Certificate.Secret.toCharArray)
    val context = SSLContext.getInstance("TLS")
    context.init(managers.getKeyManagers, null, null)
    context
  }
}

object Certificate {
  private val Secret = "of no use"

  /** For localhost and 127.0.0.1. */
  lazy val local: Certificate = of("dns:localhost,ip:127.0.0.1")

  /** For a name that no server here has. */
  lazy val foreign: Certificate = of("dns:shop.example")

  /** For no name, though localhost is its subject's. */
  lazy val nameless: Certificate = of("", subject = "localhost")

  /** For localhost, with another kind of key. */
  lazy val rsa: Certificate = of("dns:localhost", "RSA")

  /** The context of a client that trusts this certificate, or those that it has issued, and no other. */
  def trusting(file: Path): SSLContext = {
    val keys = KeyStore.getInstance(KeyStore.getDefaultType)
    keys.load(null, null)
    val bytes = Files.newInputStream(file)
    try keys.setCertificateEntry("server", CertificateFactory.getInstance("X.509").generateCertificate(bytes))
    finally bytes.close()
    val managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm)
    managers.init(keys)
    val context = SSLContext.getInstance("TLS")
    context.init(null, managers.getTrustManagers, null)
    context
  }

  private def of(names: String, algorithm: String = "EC", subject: String = "needletail"): Certificate = {
    val folder = Files.createTempDirectory("certificate")
    val store  = folder.resolve("keys.p12")
    val file   = folder.resolve("certificate.pem")
    val key    = folder.resolve("key.pem")
    Seq(key, file, store, folder).reverse.foreach(_.toFile.deleteOnExit())
    val kept =
      Seq("-keystore", store.toString, "-storetype", "PKCS12", "-storepass", Secret, "-alias", "server")
    keytool(
      Seq(
        "-genkeypair",
        "-keyalg",
        algorithm,
        "-dname",
        s"CN=$subject",
        "-validity",
        "2"
      ) ++ (if (names.isEmpty) Nil else Seq("-ext", s"san=$names")) ++ kept
    )
    keytool(Seq("-exportcert", "-rfc", "-file", file.toString) ++ kept)
    Files.write(key, pem("PRIVATE KEY", secret(store)).getBytes)
    new Certificate(file, key, store)
  }

  private def load(store: Path): KeyStore = {
    val keys = KeyStore.getInstance("PKCS12")
    val in   = Files.newInputStream(store)
    try keys.load(in, Secret.toCharArray)
    finally in.close()
    keys
  }

  private def secret(store: Path): Array[Byte] = load(store).getKey("server", Secret.toCharArray).getEncoded

  private def pem(what: String, bytes: Array[Byte]): String = {
    val text = Base64.getMimeEncoder(64, Array('\n'.toByte)).encodeToString(bytes)
    s"-----BEGIN $what-----\n$text\n-----END $what-----\n"
  }

  private def keytool(arguments: Seq[String]): Unit = {
    val program = new File(new File(sys.props("java.home"), "bin"), "keytool").getPath
    val process = new ProcessBuilder((program +: arguments)*).redirectErrorStream(true)
      .redirectOutput(ProcessBuilder.Redirect.DISCARD).start()
    val ended = process.waitFor(60, TimeUnit.SECONDS)
    process.destroyForcibly()
    if (!ended || process.exitValue != 0)
      throw new IllegalStateException(s"keytool failed: ${arguments.mkString(" ")}")
  }
}
