package needletail.io.tls

import java.nio.file.Path

/**
 * Clients' own certificates among the trusted ones of a server. Those that programs make by default are authorities' as
 * well: then each of these clients can issue certificates in the names of others.
 */
private[io] object ListedClients {

  /**
   * What is to be said of those that are self-issued authorities', but have names as clients have. Those whose keyUsage has
   * no keyCertSign issue nothing, on either platform.
   *
   * @param all each with its encoding in DER
   */
  def notices(all: Seq[(CertificateInfo, Array[Byte])], file: Path): Seq[String] = {
    val issuing = all.filter { case (one, der) => isPeers(one) && isAuthority(der) }.map(_._1)
    issuing.headOption.toSeq.map { first =>
      val more = if (issuing.size == 1) "" else s" (and ${issuing.size - 1} more)"
      s"the certificate of ${CertificateText.subjectOf(first)}$more in $file has names as a client's own, but is an authority's " +
        "(CA:TRUE): with its key certificates can be issued in the name of any client"
    }
  }

  private def isPeers(one: CertificateInfo): Boolean =
    one.subject == one.issuer && one.names.exists(name =>
      name.startsWith("DNS:") || name.startsWith("email:")
    )

  /** By its basicConstraints, and its keyUsage if there is one (RFC 5280 sections 4.2.1.9 and 4.2.1.3). */
  private[tls] def isAuthority(certificate: Array[Byte]): Boolean = {
    val all                     = extensions(certificate)
    def of(number: Array[Byte]) = all.collect { case (its, value) if its.sameElements(number) => value }
    of(BasicConstraints).exists(isMarked) && of(KeyUsage).forall(signs)
  }

  /** The numbers and the values of a certificate's extensions; none if it is malformed. */
  private def extensions(certificate: Array[Byte]): Seq[(Array[Byte], Array[Byte])] = {
    val found = for (
      whole  <- Der.of(certificate);
      parts  <- whole.elements;
      signed <- parts.headOption;
      fields <- signed.elements;
      last   <- fields.find(_.tag == Extensions);
      list   <- Der.of(last.content);
      all    <- list.elements
    ) yield all.flatMap(_.elements).collect {
      case parts if parts.length > 1 =>
        (parts.head.content, parts.last.content)
    }
    found.getOrElse(Nil)
  }

  private def isMarked(constraints: Array[Byte]): Boolean =
    Der.of(constraints).flatMap(_.elements).exists(_.headOption.exists { first =>
      first.tag == Der.Boolean && first.content.exists(_ != 0)
    })

  /** Whether keyCertSign is among the bits, of which the first byte says how many are unused. */
  private def signs(usage: Array[Byte]): Boolean =
    Der.of(usage).exists(bits => bits.content.length > 1 && (bits.content(1) & KeyCertSign) != 0)

  private final val Extensions  = 0xa3
  private final val KeyCertSign = 0x04
  private val BasicConstraints  = Array[Byte](0x55, 0x1d, 0x13)
  private val KeyUsage          = Array[Byte](0x55, 0x1d, 0x0f)
}
