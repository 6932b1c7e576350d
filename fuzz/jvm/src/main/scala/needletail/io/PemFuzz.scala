package needletail.io

import java.io.IOException
import java.nio.file.{Files, Path}

import needletail.fuzz.FuzzTarget

/** Certificates and keys in PEM: a context, or an IOException that names the file and the error. */
object PemFuzz extends FuzzTarget("pem") {
  private lazy val folder: Path = {
    val made = Files.createTempDirectory("needletail-pem")
    made.toFile.deleteOnExit()
    made
  }

  /** The certificates, then a NUL, then the key; without a NUL both are the same file. */
  def check(data: Array[Byte]): Unit = {
    val nul          = data.indexOf(0.toByte)
    val certificates = file("certificates.pem", if (nul < 0) data else data.take(nul))
    val key          = file("key.pem", if (nul < 0) data else data.drop(nul + 1))
    try { Tls.server(TlsServerConfig(certificates, key)); () }
    catch { case _: IOException => () }
    try { Tls.trusting(certificates); () }
    catch { case _: IOException => () }
  }

  private def file(name: String, content: Array[Byte]): Path = {
    val path = folder.resolve(name)
    Files.write(path, content)
    path.toFile.deleteOnExit()
    path
  }
}
