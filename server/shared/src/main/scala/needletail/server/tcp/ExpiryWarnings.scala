package needletail.server.tcp

import scala.collection.mutable

import needletail.io.TlsIdentity
import needletail.server.operations.Log

/**
 * Logs that certificates, and the list of revoked ones that is the first to, expire within a day, within an hour, or
 * have expired: once each. Thread-safe.
 */
private[tcp] final class ExpiryWarnings(identity: TlsIdentity, log: Log) {
  import ExpiryWarnings._

  private val known = mutable.HashMap.empty[Int, Seen] // by the certificate's place; the list's is NoPlace

  /**
   * The files have been read, for the first time or again. What has expired is logged then in any case. What replaces
   * something else is judged by that: files that are good for a day or an hour are renewed in time.
   */
  def loaded(now: Long): Unit = synchronized(judge(now, isRead = true))

  /** Some time has passed, in which somebody else may have read the files. */
  def look(now: Long): Unit = synchronized(judge(now, isRead = false))

  private def judge(now: Long, isRead: Boolean): Unit = {
    for ((c, place) <- identity.certificates.zipWithIndex)
      if (now < c.notBefore && (isRead || known.get(place).forall(_.expiry != c.notAfter)))
        log.warn(s"the certificate of ${c.subject} is not valid yet")
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
      if (isNew) tell(stage, left)
      known(place) = Seen(expiry, stage, former.filter(_.expiry == expiry).fold(left)(_.left))
    }
    known.keySet.filterNot(present.map(_._1).toSet).toSeq.foreach(known.remove)
  }

  private def all: Seq[(Int, Long, (Int, Long) => Unit)] =
    identity.certificates.zipWithIndex.map { case (c, place) =>
      (place, c.notAfter, tellOf(s"the certificate of ${c.subject}", "", ""))
    } ++ identity.revocationExpiry.map { end =>
      (
        NoPlace,
        end,
        tellOf("a list of revoked certificates", ": clients are rejected", "; then clients are rejected")
      )
    }

  private def tellOf(what: String, now: String, later: String): (Int, Long) => Unit = (stage, left) =>
    if (stage == Expired) log.warn(s"$what has expired$now")
    else if (stage > Good) log.warn(s"$what expires in ${shown(left)}$later")

  private def shown(millis: Long): String =
    if (millis >= 2 * HourMillis) s"${millis / HourMillis} hours" else s"${millis / 60000} minutes"
}

private[tcp] object ExpiryWarnings {

  /** @param left for how long it was good when it was seen first */
  private final case class Seen(expiry: Long, stage: Int, left: Long)

  private final val NoPlace = -1

  // Stages of what expires, in their order.
  private final val Good    = 0
  private final val Day     = 1
  private final val Hour    = 2
  private final val Expired = 3

  private def stageOf(expiry: Long, now: Long): Int =
    if (now > expiry) Expired
    else if (expiry - now < HourMillis) Hour
    else if (expiry - now < 24 * HourMillis) Day
    else Good

  private final val HourMillis = 3600L * 1000
}
