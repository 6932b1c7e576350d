package needletail.client.cookies

import scala.collection.mutable

import needletail.async.{Setting, Survivable}
import needletail.client.url.Origin
import needletail.http.text.Grammar
import needletail.io.{Address, EventLoop}

/**
 * The cookies that servers have set (RFC 6265), which calls send back: of a client (`ClientConfig.cookies`), or of the
 * calls that are given it (`Call.cookies`). In memory, for any thread.
 *
 * A cookie for a whole domain is refused from an IP address, and for a domain without a dot, such as `com`. Which other
 * domains are shared by strangers, such as `co.uk`, only a list knows: see `isPublicSuffix`.
 *
 * @param maxPerDomain cookies of one domain; beyond, the one that was not used for the longest time is removed, secure
 *   ones after all others
 * @param maxCookies cookies in all; likewise
 * @param isPublicSuffix whether no cookie may be set for all hosts below that domain, given in lower case. If it throws an
 *   exception, that is reported, and the cookie is refused
 * @throws java.lang.IllegalArgumentException if a limit is not positive
 */
final class CookieJar(
    maxPerDomain: Int = 50,
    maxCookies: Int = 3000,
    isPublicSuffix: String => Boolean = _ => false
) {
  import CookieJar.*
  private val is = Setting("CookieJar")
  is.positive("maxPerDomain", maxPerDomain)
  is.positive("maxCookies", maxCookies)

  private val domains = mutable.HashMap.empty[String, List[Entry]]
  private var count   = 0
  private var uses    = 0L // orders creations and uses

  /** Every cookie that is not over, the earliest first. */
  def cookies: Seq[StoredCookie] = synchronized {
    val now = System.currentTimeMillis()
    domains.valuesIterator.flatten.toSeq.sortBy(_.created).map(_.cookie).filterNot(_.isOver(now))
  }

  /**
   * Adds a cookie, such as one that was saved, in place of the one with its name, domain and path.
   *
   * @throws java.lang.IllegalArgumentException if its name or value cannot be sent
   */
  def add(cookie: StoredCookie): Unit = {
    val sent = cookie.name + cookie.value
    if (cookie.name.isEmpty || cookie.name.contains('=') || sent.contains(';') || !Grammar.isFieldValue(sent))
      throw new IllegalArgumentException(s"cookie '${cookie.name}' cannot be sent")
    keep(cookie, System.currentTimeMillis())
  }

  /** Removes those cookies. */
  def remove(which: StoredCookie => Boolean): Unit = removeIf(entry => which(entry.cookie))

  /** Removes all. */
  def clear(): Unit = remove(_ => true)

  /** Stores the Set-Cookie fields of a response to a request for `target`. */
  private[client] def receive(origin: Origin, target: String, setCookie: String, nowMillis: Long): Unit =
    parse(origin, target, setCookie, nowMillis)
      .filterNot(cookie => !origin.isSecure && hidesSecure(cookie))
      .foreach(keep(_, nowMillis))

  private def parse(
      origin: Origin,
      target: String,
      setCookie: String,
      nowMillis: Long
  ): Option[StoredCookie] =
    try SetCookie.parse(setCookie, hostOf(origin), pathOf(target), origin.isSecure, nowMillis, isPublic)
    catch {
      case Survivable(e) =>
        EventLoop.report(
          s"a cookie of ${hostOf(origin)} is refused, as isPublicSuffix has thrown an exception",
          e
        )
        None
    }

  /** The value of Cookie for a request; null if there is none to send. */
  private[client] def header(origin: Origin, target: String, nowMillis: Long): String = synchronized {
    if (count == 0) null
    else {
      val host  = hostOf(origin)
      val path  = pathOf(target)
      val found = candidates(host).filter { entry =>
        val cookie = entry.cookie
        cookie.isFor(host) && cookie.isForPath(path) && (!cookie.secure || origin.isSecure) &&
        !cookie.isOver(nowMillis)
      }
      if (found.isEmpty) null
      else {
        uses += 1
        found.foreach(_.used = uses)
        val text = new StringBuilder
        found.sortBy(entry => (-entry.cookie.path.length, entry.created)).foreach { entry =>
          val pair = s"${entry.cookie.name}=${entry.cookie.value}"
          if (text.isEmpty) text.append(pair)
          else if (text.length + 2 + pair.length <= MaxHeader) text.append("; ").append(pair)
        }
        text.toString
      }
    }
  }

  private def isPublic(domain: String): Boolean = {
    val name = domain.stripSuffix(".") // "com." is "com" by its full name
    name.indexOf('.') < 0 || isPublicSuffix(name)
  }

  /** Those of the host's own name, and of the names above it. */
  private def candidates(host: String): List[Entry] = {
    var found = domains.getOrElse(host, Nil)
    if (!CookieDomain.isAddress(host)) {
      var dot = host.indexOf('.')
      while (dot >= 0) {
        found = domains.getOrElse(host.substring(dot + 1), Nil) ::: found
        dot = host.indexOf('.', dot + 1)
      }
    }
    found
  }

  /** A plain connection, which anybody may have changed, does not replace a secure cookie by one that hides it. */
  private def hidesSecure(cookie: StoredCookie): Boolean = synchronized {
    domains.valuesIterator.flatten.exists { entry =>
      val old = entry.cookie
      old.secure && old.name == cookie.name && old.isForPath(cookie.path) &&
      (old.domain == cookie.domain || CookieDomain.isBelow(old.domain, cookie.domain) ||
        CookieDomain.isBelow(cookie.domain, old.domain))
    }
  }

  private def keep(cookie: StoredCookie, nowMillis: Long): Unit = synchronized {
    uses += 1
    val of       = domains.getOrElse(cookie.domain, Nil)
    val replaced = of.find(_.cookie.isSame(cookie))
    replaced.foreach(drop)
    if (!cookie.isOver(nowMillis)) {
      put(new Entry(cookie, replaced.fold(uses)(_.created), uses))
      val all = domains(cookie.domain)
      if (all.length > maxPerDomain || count > maxCookies) removeIf(_.cookie.isOver(nowMillis))
      if (domains(cookie.domain).length > maxPerDomain) drop(domains(cookie.domain).minBy(worth))
      if (count > maxCookies) drop(domains.valuesIterator.flatten.minBy(worth))
    }
  }

  /**
   * Those of the least worth are removed first: not secure ones, so that a plain response cannot make room for a cookie
   * that hides a secure one (RFC 6265bis §5.7), and among these the one that was not used for the longest time.
   */
  private def worth(entry: Entry): (Boolean, Long) = (entry.cookie.secure, entry.used)

  private def put(entry: Entry): Unit = {
    domains(entry.cookie.domain) = entry :: domains.getOrElse(entry.cookie.domain, Nil)
    count += 1
  }

  private def drop(entry: Entry): Unit = {
    val rest = domains(entry.cookie.domain).filterNot(_ eq entry)
    if (rest.isEmpty) domains -= entry.cookie.domain else domains(entry.cookie.domain) = rest
    count -= 1
  }

  private def removeIf(which: Entry => Boolean): Unit = synchronized {
    domains.valuesIterator.flatten.filter(which).toList.foreach(drop)
  }

  override def toString: String = s"CookieJar($count cookies)"
}

object CookieJar {

  /** Bytes of a request's cookies. More than that, and the usual servers refuse the request. */
  private final val MaxHeader = 8 * 1024

  private final class Entry(val cookie: StoredCookie, val created: Long, var used: Long)

  /** Unix sockets are hosts of their own. */
  private def hostOf(origin: Origin): String = origin.address match {
    case Address.Tcp(host, _) => host
    case _                    => origin.text
  }

  private def pathOf(target: String): String = {
    val question = target.indexOf('?')
    if (question < 0) target else target.substring(0, question)
  }
}
