package needletail.io.system.tls

import java.security.cert.{X509CRL, X509Certificate}

/** For which of its issuer's certificates a list of revoked ones is (RFC 5280 section 5.2.5). */
private[tls] object ListScope {

  /**
   * Whether the list tells of this certificate of the issuer's, whatever the reason for which it may be revoked. A list
   * of changes only (section 5.2.4) does not, nor does one of other issuers' certificates too.
   */
  def includes(list: X509CRL, certificate: X509Certificate): Boolean =
    !list.hasUnsupportedCriticalExtension && list.getExtensionValue(DeltaIndicator) == null &&
      (list.getExtensionValue(DistributionPoint) match {
        case null  => true
        case value =>
          val isAuthority = certificate.getBasicConstraints >= 0
          elements(value).flatMap(octets => elements(octets._2)).flatMap(scope => elements(scope._2)).forall {
            case (OnlyUsers, is)       => !isTrue(is) || !isAuthority
            case (OnlyAuthorities, is) => !isTrue(is) || isAuthority
            case (Indirect, is)        => !isTrue(is)
            case (Point, name)         => isAt(name, certificate)
            case _                     => false // for some reasons only, or for attribute certificates
          }
      })

  /** Whether the certificate has one of the full names of a list's distribution point among those of its own. */
  private def isAt(name: Array[Byte], certificate: X509Certificate): Boolean = {
    val own = certificate.getExtensionValue(DistributionPoints)
    own != null && elements(name).exists { case (tag, names) =>
      tag == FullName && elements(names).exists { case (kind, one) =>
        own.containsSlice(header(kind, one) ++ one)
      }
    }
  }

  private def isTrue(boolean: Array[Byte]): Boolean = boolean.exists(_ != 0)

  // DER (X.690), which the JDK has read before

  /** Tags and contents. */
  private def elements(der: Array[Byte]): List[(Int, Array[Byte])] =
    if (der.length < 2) Nil
    else {
      val first  = der(1) & 0xff
      val more   = if (first < 128) 0 else first & 0x7f
      val length =
        if (first < 128) first else der.slice(2, 2 + more).foldLeft(0)((n, b) => n << 8 | (b & 0xff))
      val from = 2 + more
      (der(0) & 0xff, der.slice(from, from + length)) :: elements(der.drop(from + length))
    }

  private def header(tag: Int, content: Array[Byte]): Array[Byte] = {
    val n = content.length
    (if (n < 128) Array(tag, n) else if (n < 256) Array(tag, 0x81, n) else Array(tag, 0x82, n >> 8, n)).map(
      _.toByte
    )
  }

  private final val DeltaIndicator     = "2.5.29.27"
  private final val DistributionPoint  = "2.5.29.28" // a list's
  private final val DistributionPoints = "2.5.29.31" // a certificate's

  private final val Point           = 0xa0
  private final val FullName        = 0xa0
  private final val OnlyUsers       = 0x81
  private final val OnlyAuthorities = 0x82
  private final val Indirect        = 0x84
}
