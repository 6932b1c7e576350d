package needletail.io.system.tls

import java.security.cert.X509Certificate

import needletail.io.tls.Der

/**
 * Which names an authority permits in certificates below it (RFC 5280 section 4.2.1.10). The JDK does not look at those of
 * a trusted one; in those of others an excluded host without a name, which is to stand for all, excludes none.
 */
private[tls] final class NameConstraints private (permitted: Seq[GeneralName], excluded: Seq[GeneralName]) {
  def permits(name: GeneralName): Boolean = {
    def found(all: Seq[GeneralName]) = all.filter(_.kind == name.kind).map(_.includes(name))
    val within                       = found(permitted)
    found(excluded).forall(_.contains(false)) &&
    (within.isEmpty || within.forall(_.isDefined) && within.exists(_.contains(true)))
  }
}

private[tls] object NameConstraints {
  private final val Extension = "2.5.29.30"

  def areIn(authority: X509Certificate): Boolean = authority.getExtensionValue(Extension) ne null

  /**
   * Whether an authority permits all names of a certificate below it; not if its constraints are malformed, or have a
   * minimum or maximum, which RFC 5280 rules out, nor a host's with a dot at its end, which would be none of those that it
   * excludes.
   *
   * @param isClient as in `GeneralName.all`
   */
  def permit(authority: X509Certificate, below: X509Certificate, isClient: Boolean): Boolean =
    authority.getExtensionValue(Extension) match {
      case null  => true
      case value =>
        (for (own <- read(value); names <- GeneralName.all(below, isClient))
          yield names.forall(name => own.permits(name) && !name.isAbsoluteHost))
          .contains(true)
    }

  /** @param extension in an OCTET STRING */
  private[tls] def read(extension: Array[Byte]): Option[NameConstraints] =
    for (
      octets    <- Der.of(extension);
      whole     <- Der.of(octets.content);
      parts     <- whole.elements;
      permitted <- bases(parts, Permitted);
      excluded  <- bases(parts, Excluded)
    ) yield new NameConstraints(permitted, excluded)

  private final val Permitted = 0xa0
  private final val Excluded  = 0xa1
  private final val Minimum   = 0x80

  private def bases(parts: Seq[Der], tag: Int): Option[Seq[GeneralName]] =
    parts.filter(_.tag == tag).foldLeft(Option(Seq.empty[GeneralName])) { (before, part) =>
      for (found <- before; subtrees <- part.elements; all <- named(subtrees)) yield found ++ all
    }

  private def named(subtrees: Seq[Der]): Option[Seq[GeneralName]] = {
    val all = subtrees.flatMap(_.elements).collect {
      case base +: more if more.forall(isNoMinimum) => GeneralName.of(base)
    }
    if (all.length == subtrees.length) Some(all) else None
  }

  private def isNoMinimum(element: Der): Boolean = element.tag == Minimum && element.content.forall(_ == 0)
}
