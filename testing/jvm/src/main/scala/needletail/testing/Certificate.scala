package needletail.testing

import java.io.File
import java.nio.file.{Files, Path}
import java.security.KeyStore
import java.util.concurrent.TimeUnit
import javax.net.ssl.{KeyManagerFactory, SSLContext}

/**
 * A key and a certificate that it has signed itself, made by the JDK's keytool for two days.
 *
 * @param file
 *   the certificate in PEM
 */
final class Certificate private (val file: Path, store: Path) {

  /** For servers that have it. */
  lazy val context: SSLContext = {
    val keys = KeyStore.getInstance("PKCS12")
    val in   = Files.newInputStream(store)
    try keys.load(in, Certificate.Secret.toCharArray)
    finally in.close()
    val managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm)
    managers.init(keys, Certificate.Secret.toCharArray)
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

  private def of(names: String): Certificate = {
    val folder = Files.createTempDirectory("certificate")
    val store  = folder.resolve("keys.p12")
    val file   = folder.resolve("certificate.pem")
    Seq(file, store, folder).reverse.foreach(_.toFile.deleteOnExit())
    val kept = Seq("-keystore", store.toString, "-storetype", "PKCS12", "-storepass", Secret, "-alias", "server")
    keytool(
      Seq("-genkeypair", "-keyalg", "EC", "-dname", "CN=needletail", "-ext", s"san=$names", "-validity", "2") ++ kept
    )
    keytool(Seq("-exportcert", "-rfc", "-file", file.toString) ++ kept)
    new Certificate(file, store)
  }

  private def keytool(arguments: Seq[String]): Unit = {
    val program = new File(new File(sys.props("java.home"), "bin"), "keytool").getPath
    val process = new ProcessBuilder((program +: arguments)*).redirectErrorStream(true)
      .redirectOutput(ProcessBuilder.Redirect.DISCARD).start()
    val ended = process.waitFor(60, TimeUnit.SECONDS)
    process.destroyForcibly()
    if (!ended || process.exitValue != 0) throw new IllegalStateException(s"keytool failed: ${arguments.mkString(" ")}")
  }
}
