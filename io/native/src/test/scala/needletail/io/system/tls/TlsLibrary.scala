package needletail.io.system.tls

import scala.scalanative.unsafe.fromCString

/** Which library a program has TLS by. Some tests are of what not all of them do: docs/tls.md lists the differences. */
private[io] object TlsLibrary {
  lazy val name: String = {
    OpenSsl.load()
    val version = fromCString(OpenSslFunctions.version())
    Seq(BoringSsl, AwsLc).find(version.contains(_)).getOrElse("OpenSSL")
  }

  final val BoringSsl = "BoringSSL"
  final val AwsLc     = "AWS-LC"

  def isOneOf(names: String*): Boolean = names.contains(name)
}
