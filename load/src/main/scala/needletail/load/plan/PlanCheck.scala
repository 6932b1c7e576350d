package needletail.load.plan

import java.io.IOException
import java.net.{InetAddress, ServerSocket}
import java.util.regex.{Pattern, PatternSyntaxException}

import needletail.http.text.Grammar

/** Validates plans: the plan itself, and the files and local addresses that it names. */
object PlanCheck {
  private final class Mistake(val text: String) extends RuntimeException(text, null, false, false)

  private def fail(text: String): Nothing = throw new Mistake(text)

  /** The first mistake in a plan; None for a valid plan. Does not look up the names of its targets. */
  def mistake(plan: LoadPlan): Option[String] =
    try {
      checkLoad(plan)
      plan.kinds.flatMap(_.requests).foreach(r => PlanUrl.origin(r.url).left.foreach(fail))
      TrustedTls.of(plan.trust, plan.certificate).left.foreach(fail)
      plan.kinds.foreach(new KindCheck(plan, _).check())
      None
    } catch { case m: Mistake => Some(m.text) }

  /** The error in a URL, whose path may have places for values; None if it is valid. */
  def urlMistake(url: String): Option[String] = PlanUrl.mistake(url)

  /** The error in the file of certificates; None if it can be read, or none is needed. */
  def trustMistake(trust: Trust): Option[String] = TrustedTls.of(trust, None).left.toOption

  /** The error in the files of the generator's own certificate; None if they can be read. */
  def certificateMistake(own: ClientCertificate): Option[String] =
    TrustedTls.of(Trust.Anybody, Some(own)).left.toOption

  private def checkLoad(plan: LoadPlan): Unit = {
    if (plan.kinds.isEmpty) fail("there is no kind of requests")
    plan.kinds.foreach { kind =>
      if (kind.requests.isEmpty) fail(s"kind '${kind.name}' has no requests")
      if (!(kind.weight >= 0) || kind.weight.isInfinite)
        fail(s"the weight of kind '${kind.name}' is not a number from 0 up")
      if (kind.users.exists(_ < 0)) fail(s"the number of users of kind '${kind.name}' is negative")
    }
    if (plan.timeout.toNanos <= 0 || plan.connectTimeout.toNanos <= 0) fail("timeouts must be above 0")
    if (plan.pipelining < 1 || plan.pipelining > 1024) fail("pipelining must be from 1 to 1024")
    if (plan.pipelining > 1 && !plan.keepAlive) fail("pipelining needs connections that are kept alive")
    if (plan.pipelining > 1 && plan.kinds.exists(_.requests.size > 1))
      fail("a session of several requests, which depend on earlier responses, cannot be pipelined")
    if (plan.loops < 0) fail("the number of loops is below 0")
    plan.sources.foreach(checkSource)
    plan.load match {
      case c: Load.Closed =>
        if (c.users < 0) fail("the number of users is below 0")
        if (c.requests.exists(_ < 1)) fail("each user must make at least one request")
        if (c.requests.isEmpty && c.duration.isEmpty) fail("there must be a number of requests or a duration")
        val sharing = plan.kinds.filter(_.users.isEmpty).map(_.weight).sum
        val own     = plan.kinds.flatMap(_.users).map(_.toLong).sum
        if (own == 0 && c.users > 0 && sharing == 0) fail("every kind has the weight 0")
        if (own == 0 && c.users == 0) fail("there are no users")
      case o: Load.Open =>
        if (o.steps.isEmpty) fail("there are no steps of a rate")
        if (o.steps.exists(s => !(s.from >= 0) || !(s.to >= 0) || s.from.isInfinite || s.to.isInfinite))
          fail("a rate is not a number from 0 up")
        if (o.steps.forall(s => s.from == 0 && s.to == 0)) fail("the rate is 0 all the time")
        if (o.steps.exists(_.duration.toNanos <= 0)) fail("a step's duration is not above 0")
        if (o.connections < 1) fail("there must be at least one connection")
        if (plan.kinds.forall(_.weight == 0)) fail("every kind has the weight 0")
    }
  }

  /** Otherwise it would look as if there were no free ports. */
  private def checkSource(address: String): Unit =
    try new ServerSocket(0, 1, InetAddress.getByName(address)).close()
    catch { case _: IOException => fail(s"the source $address is not an address of this machine") }

  private final class KindCheck(plan: LoadPlan, kind: Kind) {
    private val names = kind.valueNames.toSet

    def check(): Unit = {
      kind.requests.foreach(request)
      kind.feeders.foreach(feeder)
    }

    private def feeder(f: Feeder): Unit = {
      if (f.rows.isEmpty) fail(s"kind '${kind.name}': a feeder has no rows")
      if (f.rows.exists(_.size != f.columns.size))
        fail(s"kind '${kind.name}': a feeder's row has not as many values as there are columns")
    }

    private def template(text: String, where: String): Unit =
      Template.names(text).find(!names(_)).foreach(name =>
        fail(s"kind '${kind.name}': no feeder or extraction defines '$name', used in $where")
      )

    private def request(r: RequestTemplate): Unit = {
      if (!Grammar.isToken(r.method)) fail(s"'${r.method}' is not a method")
      PlanUrl.mistake(r.url).foreach(fail)
      r.headers.foreach { case (name, value) => header(name, value) }
      r.headers.foreach { case (name, value) => template(value, s"the header $name") }
      r.body.foreach(template(_, "the body"))
      template(PlanUrl.split(r.url)._2.takeWhile(_ != '#'), "the URL")
      r.checks.foreach {
        case Check.BodyMatches(p) => pattern(p)
        case _                    => ()
      }
      r.extractions.foreach(d => pattern(d.pattern))
      if (PlanUrl.isWebSocket(r.url)) webSocket(r)
    }

    private def webSocket(r: RequestTemplate): Unit = {
      if (!plan.keepAlive) fail(s"${r.url}: a WebSocket is one connection, which is kept alive")
      if (r.method != "GET") fail(s"${r.url}: a WebSocket is opened by GET")
      if (r.headers.exists(h => Template.names(h._2).nonEmpty))
        fail(s"${r.url}: the headers that open a WebSocket cannot have values of the session")
      val hasHeaders = r.extractions.exists(_.header.nonEmpty) || r.checks.exists {
        case _: Check.Status | _: Check.Header => true
        case _                                 => false
      }
      if (hasHeaders)
        fail(s"${r.url}: a message has no status and no headers to check or to take values from")
    }

    private def header(name: String, value: String): Unit = {
      if (!Grammar.isToken(name)) fail(s"'$name' is not the name of a header")
      if (value.exists(c => c < ' ' && c != '\t' || c == 127))
        fail(s"the header $name has a control character")
      if (name.equalsIgnoreCase("Content-Length") || name.equalsIgnoreCase("Transfer-Encoding"))
        fail(s"the header $name is set from the body and cannot be given")
      if (plan.keepAlive && name.equalsIgnoreCase("Connection") && value.trim.equalsIgnoreCase("close"))
        fail("the header Connection: close contradicts keep-alive; use keep-alive: false")
    }

    private def pattern(text: String): Unit =
      try { Pattern.compile(text); () }
      catch { case e: PatternSyntaxException => fail(s"'$text' is not a pattern: ${e.getDescription}") }
  }
}
