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
   * When the first kind of these lists ends. The newest of a kind counts, and no older one, which may end later: what
   * was revoked since is not on it. Once one that follows has begun, that one does; if there is no gap between the two,
   * its end is the kind's.
   */
  def expiry(lists: Seq[Dated], now: Long): Option[Long] = ends(lists, now) { (present, following) =>
    following.foldLeft(present.until)((end, next) => if (hasBegun(next.from, end)) next.until else end)
  }

  /**
   * When the first of those that count now ends, or another takes its place: until then whoever they accept is accepted
   * again.
   */
  def change(lists: Seq[Dated], now: Long): Option[Long] = ends(lists, now) { (present, following) =>
    following.headOption.fold(present.until)(next => math.min(present.until, next.from - ClockSkew))
  }

  /** Whether each of them no longer counts, as a newer one of its kind does. */
  def superseded(lists: Seq[Dated], now: Long): Seq[Boolean] = {
    val newest = lists.filter(list => hasBegun(list.from, now)).groupBy(_.kind).map { case (kind, all) =>
      kind -> all.map(_.from).max
    }
    lists.map(list => newest.get(list.kind).exists(_ > list.from))
  }

  /** @param end of a list that counts now, or will as the first of its kind, and of those that follow it, in order */
  private def ends(lists: Seq[Dated], now: Long)(end: (Dated, Seq[Dated]) => Long): Option[Long] =
    lists.groupBy(_.kind).values.map { all =>
      val sorted          = all.sortBy(list => (list.from, list.until))
      val (begun, future) = sorted.partition(list => hasBegun(list.from, now))
      val counting        = begun.takeRight(1) ++ future
      end(counting.head, counting.tail)
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
