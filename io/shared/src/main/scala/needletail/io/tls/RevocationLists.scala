package needletail.io.tls

import java.io.IOException
import java.nio.file.Path

/** Files of lists of revoked certificates (CRLs). */
private[io] object RevocationLists {

  /**
   * A list that counts.
   *
   * @param kind what it has in common with the lists that it follows: the issuer, its key and what it is of
   * @param from when it was made, in milliseconds since 1970
   * @param until when it ends
   */
  final case class Dated(kind: Any, from: Long, until: Long)

  /** How much later than by this clock a list may have been made. */
  final val ClockSkew = 15 * 60 * 1000L

  def hasBegun(from: Long, now: Long): Boolean = from <= now + ClockSkew

  /**
   * When the first of these lists ends that is the newest of its kind: an older one may end later, but what was revoked
   * since is not on it.
   */
  def expiry(lists: Seq[Dated], now: Long): Option[Long] = lists.groupBy(_.kind).values.map { all =>
    val begun = all.filter(list => hasBegun(list.from, now))
    (if (begun.isEmpty) all else begun).maxBy(list => (list.from, list.until)).until
  }.minOption

  /** For a file by which nobody would be accepted. */
  def noneCounts(file: Path): IOException = new IOException(
    s"$file has no certificate revocation list that counts: delta lists and lists of a distribution point do not"
  )

  /** For a file with a list that counts and does not say when it expires: it would be good for ever. */
  def endless(file: Path): IOException = new IOException(
    s"$file has a certificate revocation list without nextUpdate (RFC 5280 section 5.1.2.5)"
  )
}
