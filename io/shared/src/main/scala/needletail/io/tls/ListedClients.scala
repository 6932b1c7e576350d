package needletail.io.tls

import java.nio.file.Path

/**
 * Clients' own certificates among the trusted ones of a server. Those that programs make by default are authorities' as
 * well: then each of these clients can issue certificates in the names of others.
 */
private[io] object ListedClients {

  /**
   * What is to be said of those that are self-issued authorities', but have names as clients have.
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

  /** By its basicConstraints (RFC 5280 section 4.2.1.9). */
  private[tls] def isAuthority(certificate: Array[Byte]): Boolean = {
    val marks = for (
      whole      <- Der.of(certificate);
      parts      <- whole.elements;
      signed     <- parts.headOption;
      fields     <- signed.elements;
      last       <- fields.find(_.tag == Extensions);
      list       <- Der.of(last.content);
      extensions <- list.elements
    ) yield extensions.flatMap(_.elements).exists { extension =>
      extension.head.content.sameElements(BasicConstraints) && isMarked(extension.last.content)
    }
    marks.contains(true)
  }

  private def isMarked(constraints: Array[Byte]): Boolean =
    Der.of(constraints).flatMap(_.elements).exists(_.headOption.exists { first =>
      first.tag == Der.Boolean && first.content.exists(_ != 0)
    })

  private final val Extensions = 0xa3
  private val BasicConstraints = Array[Byte](0x55, 0x1d, 0x13)
}
