package needletail.server.tcp

import scala.collection.mutable

import needletail.io.TlsIdentity
import needletail.io.tls.{CertificateInfo, CertificateText}
import needletail.server.operations.Log

/**
 * Logs that certificates, those of its clients' authorities, and lists of revoked ones, expire within a day, within an
 * hour, or have expired: once each. Thread-safe.
 */
private[tcp] final class ExpiryWarnings(identity: TlsIdentity, log: Log) {
  import ExpiryWarnings._

  private val known = mutable.HashMap.empty[Any, Seen] // by the certificate's place, or the list's kind

  /**
   * The files have been read, for the first time or again. What has expired is logged then in any case. What replaces
   * something else is judged by that: files that are good for a day or an hour are renewed in time.
   */
  def loaded(now: Long): Unit = synchronized {
    judge(now, isRead = true)
    identity.notices.foreach(log.warn)
  }

  /** Some time has passed, in which somebody else may have read the files. */
  def look(now: Long): Unit = synchronized(judge(now, isRead = false))

  /** The first moment after `now` at which there may be something new to say; None if there is none. */
  def next(now: Long): Option[Long] =
    all.map(
      _._2
    ).flatMap(end => Seq(end - DayMillis, end - HourMillis, end)).filter(_ >= now).minOption.map(_ + 1)

  private def judge(now: Long, isRead: Boolean): Unit = {
    for (((c, from), place) <- identity.origins.zipWithIndex)
      if (now < c.notBefore && (isRead || known.get(place).forall(_.expiry != c.notAfter)))
        log.warn(s"${nameOf(c, from)} is not valid yet")
    val present = all
    for ((place, expiry, tell) <- present) {
      val stage  = stageOf(expiry, now)
      val left   = expiry - now
      val former = known.get(place)
      val isNew  = former.forall { seen =>
        if (seen.expiry == expiry) stage > seen.stage || isRead && stage == Expired
        else if (expiry > seen.expiry && seen.stage != Expired) stage == Expired || left < seen.left / 2
        else stage >= Hour || seen.stage >= Hour || left < seen.left / 2
      }
      if (isNew) tell(stage, expiry)
      known(place) = Seen(expiry, stage, former.filter(_.expiry == expiry).fold(left)(_.left))
    }
    known.keySet.filterNot(present.map(_._1).toSet).toSeq.foreach(known.remove)
  }

  private def all: Seq[(Any, Long, (Int, Long) => Unit)] =
    identity.origins.zipWithIndex.map { case ((c, from), place) =>
      (place, c.notAfter, tellOf(nameOf(c, from), "", ""))
    } ++ identity.lists.map { list =>
      val now = ": its issuer's clients are rejected"
      (list.kind, list.until, tellOf(list.name, now, "; then its issuer's clients are rejected"))
    } ++ identity.authorities.map { one =>
      (one.kind, one.until, tellOf(one.name, ": its clients are rejected", "; then its clients are rejected"))
    }

  private def nameOf(certificate: CertificateInfo, from: String): String =
    if (from.isEmpty) s"the certificate of ${CertificateText.subjectOf(certificate)}"
    else s"the certificate in $from"

  private def tellOf(what: String, now: String, later: String): (Int, Long) => Unit = (stage, end) =>
    if (stage == Expired) log.warn(s"$what has expired$now")
    else if (stage > Good) log.warn(s"$what expires at ${MinuteText.of(end)}$later")
}

private[tcp] object ExpiryWarnings {

  /** @param left for how long it was good when it was seen first */
  private final case class Seen(expiry: Long, stage: Int, left: Long)

  // Stages of what expires, in their order.
  private final val Good    = 0
  private final val Day     = 1
  private final val Hour    = 2
  private final val Expired = 3

  private def stageOf(expiry: Long, now: Long): Int =
    if (now > expiry) Expired
    else if (expiry - now < HourMillis) Hour
    else if (expiry - now < DayMillis) Day
    else Good

  private final val HourMillis = 3600L * 1000
  private final val DayMillis  = 24 * HourMillis
}
