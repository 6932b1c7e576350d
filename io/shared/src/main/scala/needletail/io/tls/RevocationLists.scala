package needletail.io.tls

import java.io.IOException
import java.nio.file.Path

/**
 * When the lists of one kind expire that follow each other: see `RevocationLists.Dated`.
 *
 * @param name  of the list, for messages: `the revocation list of ISSUER in FILE`
 * @param until in milliseconds since 1970
 */
private[needletail] final case class ListExpiry(kind: Any, name: String, until: Long)

/** Files of lists of revoked certificates (CRLs). */
private[io] object RevocationLists {

  /**
   * A list that counts.
   *
   * @param kind what it has in common with the lists that it follows: the issuer, its key and what it is of
   * @param from when it was made, in milliseconds since 1970
   * @param until when it ends
   * @param issuer its name as text
   */
  final case class Dated(kind: Kind, from: Long, until: Long, issuer: String = "")

  /**
   * @param issuer its name in a form by which names are equal that differ in case or spaces only
   * @param signer the key of the trusted authority that has signed it; empty if none of them has
   * @param key    the keyIdentifier of its authorityKeyIdentifier; empty if there is none
   */
  final case class Kind(
      issuer: Any,
      signer: Seq[Byte],
      key: Seq[Byte],
      ofUsers: Boolean,
      ofAuthorities: Boolean
  ) {

    /** Whether a newer list of this kind takes the place of one of `other`, which may be of the same key. */
    def replaces(other: Kind): Boolean =
      issuer == other.issuer && signer == other.signer && (signer.nonEmpty || mayBeSame(key, other.key)) &&
        (if (other.ofUsers) ofUsers else ofAuthorities)
  }

  /** Whether keys with these identifiers may be the same, as they are if nobody has said which they are. */
  def mayBeSame(key: Seq[Byte], other: Seq[Byte]): Boolean = key.isEmpty || other.isEmpty || key == other

  /** Whether they certainly are. */
  def areSame(key: Seq[Byte], other: Seq[Byte]): Boolean = key.nonEmpty && key == other

  /**
   * The keyIdentifier in an authorityKeyIdentifier, beside which that may name the issuer's certificate (RFC 5280 section
   * 4.2.1.1); empty if there is none.
   *
   * @param der a SEQUENCE
   */
  def keyIdentifier(der: Array[Byte]): Seq[Byte] = {
    def at(i: Int): Int = if (i < der.length) der(i) & 0xff else -1
    val from            = if (at(1) < 0x80) 2 else 2 + (at(1) & 0x7f) // the other fields may be long
    val until           = from + 2 + at(from + 1)
    val isThere         = at(0) == 0x30 && at(from) == 0x80 && at(from + 1) < 0x80 && until <= der.length
    if (isThere) der.slice(from + 2, until).toSeq else Nil
  }

  /** How much later than by this clock a list may have been made. */
  final val ClockSkew = 15 * 60 * 1000L

  def hasBegun(from: Long, now: Long): Boolean = from <= now + ClockSkew

  /**
   * When each kind of these lists ends. The newest of a kind counts, and no older one, which may end later: what
   * was revoked since is not on it. Once one that follows has begun, that one does; if there is no gap between the two,
   * its end is the kind's.
   */
  def expiries(lists: Seq[Dated], file: Path, now: Long): Seq[ListExpiry] = ends(lists, now) {
    (present, following) =>
      val until =
        following.foldLeft(present.until)((end, next) => if (hasBegun(next.from, end)) next.until else end)
      ListExpiry(present.kind, s"the revocation list of ${present.issuer} in $file", until)
  }

  /**
   * When the first of those that may count now ends, or another begins: until then whoever they accept is accepted again.
   */
  def change(lists: Seq[Dated], now: Long): Option[Long] = {
    val ofKinds = ends(lists, now) { (present, following) =>
      following.headOption.fold(present.until)(next => math.min(present.until, next.from - ClockSkew))
    }
    val (begun, future) = lists.partition(list => hasBegun(list.from, now))
    // those whose place one of another key may not have taken
    val uncertain = begun.filter { list =>
      list.until > now && list.kind.signer.isEmpty &&
      (list.kind.key.isEmpty || begun.exists(next => next.from > list.from && replacesOther(next, list)))
    }.map(_.until)
    (ofKinds ++ uncertain ++ future.map(_.from - ClockSkew)).minOption
  }

  private def replacesOther(next: Dated, list: Dated): Boolean =
    next.kind != list.kind && next.kind.replaces(list.kind)

  /**
   * Without those whose place one of another kind has taken altogether.
   *
   * @param end of a list that counts now, or will as the first of its kind, and of those that follow it, in order
   */
  private def ends[A](lists: Seq[Dated], now: Long)(end: (Dated, Seq[Dated]) => A): Seq[A] =
    lists.filterNot { list =>
      lists.exists(next =>
        hasBegun(next.from, now) && next.from > list.from && replacesOther(next, list) &&
          (next.kind.ofAuthorities || !list.kind.ofAuthorities)
      )
    }.groupBy(_.kind).values.toSeq.map { all =>
      val sorted          = all.sortBy(list => (list.from, list.until))
      val (begun, future) = sorted.partition(list => hasBegun(list.from, now))
      val counting        = begun.takeRight(1) ++ future
      end(counting.head, counting.tail)
    }

  /**
   * What is to be said of authorities without a list. Throws an IOException if none has one: nobody would be accepted.
   *
   * @param authorities the issuers of lists that are needed, and whether there is one that counts
   */
  def unlisted(authorities: Seq[(String, Boolean)], trusted: Path, file: Path): Seq[String] = {
    val all = authorities.distinct
    if (all.nonEmpty && !all.exists(_._2))
      throw new IOException(
        s"$file has no certificate revocation list of ${all.map(_._1).mkString(" or ")}, whose lists alone count for $trusted"
      )
    all.collect { case (name, false) => s"no revocation list of $name in $file: its clients are rejected" }
  }

  // What is said of a certificate of which no list says whether it was revoked, by the issuer of the list that should.

  def missing(issuer: String): String =
    s"there is no revocation list of ${CertificateText.foreign(issuer)} that counts"

  def expired(issuer: String): String =
    s"the revocation list of ${CertificateText.foreign(issuer)} has expired"

  def invalid(issuer: String): String =
    s"the revocation list of ${CertificateText.foreign(issuer)} does not count: it begins later, or was not signed by its key for lists"

  /** @param why one of these */
  def unchecked(why: String): String = s"cannot be checked for revocation: $why"

  /** For a file by which nobody would be accepted. */
  def noneCounts(file: Path): IOException = new IOException(
    s"$file has no certificate revocation list that counts: delta lists, lists of a distribution point and lists with unknown critical extensions or removals do not"
  )

  /** For a file with a list that counts and does not say when it expires: it would be good for ever. */
  def endless(file: Path): IOException = new IOException(
    s"$file has a certificate revocation list without nextUpdate (RFC 5280 section 5.1.2.5)"
  )
}
