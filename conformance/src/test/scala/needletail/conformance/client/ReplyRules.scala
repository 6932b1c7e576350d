package needletail.conformance.client

import java.time.{Duration, ZoneOffset, ZonedDateTime}
import java.time.format.{DateTimeFormatter, DateTimeParseException, ResolverStyle}
import java.util.Locale

/** What RFC 9110 and 9112 ask of every reply, whatever it answers. What breaks the grammar, ReplyReader finds. */
object ReplyRules {
  private type Rule = (Reply, Ask) => Option[String]

  def violations(reply: Reply, ask: Ask): Vector[String] =
    reply.interim.flatMap(of(_, ask)) ++ of(reply, ask)

  private def of(reply: Reply, ask: Ask): Vector[String] = rules.flatMap(rule => rule(reply, ask))

  private val rules = Vector[Rule](
    (reply, _) =>
      when(
        reply.version != "HTTP/1.1",
        s"version ${reply.version} instead of our highest (SHOULD, RFC 9110 §6.2)"
      ),
    (reply, ask) =>
      when(
        reply.status < 200 && ask.oneZero,
        s"${reply.status} to a client of 1.0 (MUST NOT, RFC 9110 §15.2)"
      ),
    (reply, _) => when(reply.status == 101, "101 without being asked (RFC 9110 §15.2.2)"),
    (reply, _) =>
      when(
        bodiless(reply) && (reply.has("Transfer-Encoding") || reply.has("Content-Length")),
        s"Transfer-Encoding or Content-Length in a ${reply.status} (MUST NOT, RFC 9112 §6.1, RFC 9110 §8.6)"
      ),
    (reply, _) =>
      when(
        reply.has("Transfer-Encoding") && reply.has("Content-Length"),
        "Transfer-Encoding and Content-Length together (MUST NOT, RFC 9112 §6.2)"
      ),
    (reply, ask) =>
      when(
        ask.oneZero && reply.has("Transfer-Encoding"),
        "Transfer-Encoding to a client of 1.0 (MUST NOT, RFC 9112 §6.1)"
      ),
    (reply, _) =>
      when(reply.status == 205 && reply.body.nonEmpty, "content in a 205 (MUST NOT, RFC 9110 §15.3.6)"),
    (reply, _) =>
      when(reply.status == 405 && !reply.has("Allow"), "405 without Allow (MUST, RFC 9110 §15.5.6)"),
    (reply, _) =>
      reply.list("Allow").find(!_.matches("[!#$%&'*+\\-.^_`|~0-9A-Za-z]+")).map(m =>
        s"Allow names [$m], no token (RFC 9110 §10.2.1)"
      ),
    (reply, _) =>
      reply.all("Content-Type").find(!_.matches("[\\w!#$%&'*+.^`|~-]+/[\\w!#$%&'*+.^`|~-]+(\\s*;.*)?")).map(
        t => s"Content-Type: $t (RFC 9110 §8.3)"
      ),
    (reply, _) =>
      when(
        reply.framing == Framing.UntilClose && reply.version == "HTTP/1.1" && !reply.saysClose,
        "a body that ends with the connection, without Connection: close (RFC 9112 §9.6)"
      ),
    (reply, _) => singletons.find(reply.all(_).size > 1).map(name => s"$name twice (RFC 9110 §5.3)"),
    (reply, _) => date(reply)
  )

  private val singletons =
    Vector("Date", "Content-Length", "Content-Type", "Location", "Server", "Retry-After")

  private def bodiless(reply: Reply): Boolean = reply.status < 200 || reply.status == 204

  private def when(wrong: Boolean, what: => String): Option[String] = if (wrong) Some(what) else None

  private val imfFixdate =
    DateTimeFormatter
      .ofPattern("EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.US)
      .withResolverStyle(ResolverStyle.STRICT)
      .withZone(ZoneOffset.UTC)

  /** RFC 9110 §6.6.1: MUST in 2xx, 3xx and 4xx; the form of §5.6.7; the clock is ours too. */
  private def date(reply: Reply): Option[String] = reply.all("Date").headOption match {
    case None =>
      when(reply.status >= 200 && reply.status < 500, s"${reply.status} without Date (MUST, RFC 9110 §6.6.1)")
    case Some(text) =>
      try {
        val apart =
          Duration.between(ZonedDateTime.parse(text, imfFixdate), ZonedDateTime.now(ZoneOffset.UTC)).abs
        when(apart.getSeconds > 10, s"Date: $text is ${apart.getSeconds} s off")
      } catch { case _: DateTimeParseException => Some(s"Date: $text is no IMF-fixdate (RFC 9110 §5.6.7)") }
  }
}
