package needletail.io.system.tls

/** Which library a program has TLS by. Natively there are several, see there. */
private[io] object TlsLibrary {
  final val name      = "JDK"
  final val BoringSsl = "BoringSSL"
  final val AwsLc     = "AWS-LC"

  def isOneOf(names: String*): Boolean = names.contains(name)
}
