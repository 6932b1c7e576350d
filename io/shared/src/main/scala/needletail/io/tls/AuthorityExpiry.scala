package needletail.io.tls

import java.nio.file.Path

/**
 * When a server's trusted certificate of its clients' expires.
 *
 * @param kind  what others that take its place have in common with it: the name and the key
 * @param name  for messages: `the trusted certificate of NAME in FILE`
 * @param until in milliseconds since 1970
 */
private[needletail] final case class AuthorityExpiry(kind: Any, name: String, until: Long)

private[needletail] object AuthorityExpiry {

  /** Of several of one name and key that which expires last counts. */
  def of(all: Seq[(CertificateInfo, Seq[Byte])], file: Path): Seq[AuthorityExpiry] =
    all.groupBy { case (one, key) => ("authority", one.subject, key) }.map { case (kind, same) =>
      val last = same.map(_._1).maxBy(_.notAfter)
      AuthorityExpiry(
        kind,
        s"the trusted certificate of ${CertificateText.subjectOf(last)} in $file",
        last.notAfter
      )
    }.toSeq.sortBy(_.until)
}
