package needletail.load.engine

import java.io.IOException
import java.net.{InetAddress, ServerSocket}
import java.nio.file.{InvalidPathException, Paths}
import java.util.IdentityHashMap
import java.util.concurrent.atomic.AtomicLong
import java.util.regex.{Pattern, PatternSyntaxException}

import scala.collection.mutable

import needletail.client.{Origin, Url}
import needletail.http.Grammar
import needletail.io.Tls
import needletail.load.plan._

/** Rows for sessions, in turn for all loops together or by chance. */
private[engine] final class CompiledFeeder(
    rows: Array[Array[String]],
    into: Array[Int],
    random: Boolean,
    at: AtomicLong
) {
  def feed(values: Array[String], chance: java.util.SplittableRandom): Unit = {
    val row = rows(
      if (random) chance.nextInt(rows.length) else (at.getAndIncrement() % rows.length).toInt
    )
    var i = 0
    while (i < into.length) {
      values(into(i)) = row(i)
      i += 1
    }
  }
}

/**
 * A kind of requests, ready to be sent.
 *
 * @param values
 *   names of values of its sessions
 */
private[engine] final class CompiledKind(
    val index: Int,
    val plan: Kind,
    val first: CompiledRequest,
    val values: Int,
    feeders: Vector[CompiledFeeder]
) {

  /** Is there nothing that one session has and another has not? Then none is needed. */
  def isPlain: Boolean = values == 0

  def newSession(chance: java.util.SplittableRandom): Array[String] = {
    val session = new Array[String](values)
    feeders.foreach(_.feed(session, chance))
    session
  }
}

/** A plan, ready to be run. */
private[engine] final class Compiled(
    val plan: LoadPlan,
    val kinds: Vector[CompiledKind],
    val targets: Vector[Target]
)

private[engine] object Compiled {
  private final class Mistake(val text: String) extends RuntimeException(text, null, false, false)

  private def fail(text: String): Nothing = throw new Mistake(text)

  /** The plan ready to be run, or what is wrong with it. Looks names up unless `resolve` is false. */
  def of(plan: LoadPlan, resolve: Boolean = true): Either[String, Compiled] =
    try {
      checkPlan(plan)
      val origins = mutable.LinkedHashMap.empty[Origin, Int]
      plan.kinds.flatMap(_.requests).foreach { r =>
        val origin = originOf(r.url)
        if (!origins.contains(origin)) origins(origin) = origins.size
      }
      val tls     = tlsOf(plan.trust)
      val targets = origins.toVector.map { case (origin, i) =>
        val peer = origin.peer(tls)
        if (resolve) Target.of(i, origin, peer) else new Target(i, origin, Vector(origin.address), peer)
      }
      val counters = new IdentityHashMap[Feeder, AtomicLong]
      val kinds    = plan.kinds.zipWithIndex.map { case (kind, i) =>
        new KindCompiler(plan, kind, i, origin => targets(origins(origin)), counters).result
      }
      Right(new Compiled(plan, kinds, targets))
    } catch { case m: Mistake => Left(m.text) }

  private def checkPlan(plan: LoadPlan): Unit = {
    if (plan.kinds.isEmpty) fail("there is no kind of requests")
    plan.kinds.foreach { kind =>
      if (kind.requests.isEmpty) fail(s"kind '${kind.name}' has no requests")
      if (!(kind.weight >= 0) || kind.weight.isInfinite)
        fail(s"the weight of kind '${kind.name}' is not a number from 0 up")
      if (kind.users.exists(_ < 0)) fail(s"the users of kind '${kind.name}' are below 0")
    }
    if (plan.timeout.toNanos <= 0 || plan.connectTimeout.toNanos <= 0) fail("time-outs must be above 0")
    if (plan.pipelining < 1 || plan.pipelining > 1024) fail("pipelining must be from 1 to 1024")
    if (plan.pipelining > 1 && !plan.keepAlive) fail("pipelining needs connections that are kept alive")
    if (plan.pipelining > 1 && plan.kinds.exists(_.requests.size > 1))
      fail("a session of several requests, each needing the answer before, cannot be pipelined")
    if (plan.loops < 0) fail("the number of loops is below 0")
    plan.sources.foreach(checkSource)
    plan.load match {
      case c: Load.Closed =>
        if (c.users < 0) fail("the number of users is below 0")
        if (c.requests.exists(_ < 1)) fail("each user must make at least one request")
        if (c.requests.isEmpty && c.duration.isEmpty) fail("there must be a number of requests or a duration")
        val sharing = plan.kinds.filter(_.users.isEmpty).map(_.weight).sum
        val own     = plan.kinds.flatMap(_.users).sum
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

  /** Else it would look as if there were no free ports. */
  private def checkSource(address: String): Unit =
    try new ServerSocket(0, 1, InetAddress.getByName(address)).close()
    catch { case _: IOException => fail(s"the source $address is not an address of this machine") }

  /** The part of a URL that names the server, and the rest. */
  private def split(url: String): (String, String) = {
    val scheme = url.indexOf("://")
    val from   = if (scheme < 0) 0 else scheme + 3
    val end    = url.indexWhere(c => c == '/' || c == '?', from)
    if (end < 0) (url, "/")
    else if (url.charAt(end) == '?') (url.take(end), "/" + url.drop(end)) else url.splitAt(end)
  }

  /** What is wrong with a URL, which may have places for values in its path; None for one that can be asked. */
  def urlMistake(url: String): Option[String] =
    try {
      checkUrl(url)
      None
    } catch { case m: Mistake => Some(m.text) }

  /** What is wrong with the file of certificates, where there is one. */
  def trustMistake(trust: Trust): Option[String] =
    try {
      tlsOf(trust)
      None
    } catch { case m: Mistake => Some(m.text) }

  private def checkUrl(url: String): Unit = {
    val (server, path) = split(url)
    originOf(url)
    Url.parse(server + Template.sample(path)).left.foreach(reason => fail(s"$url: $reason"))
  }

  private def tlsOf(trust: Trust): Tls = trust match {
    case Trust.System             => Tls.system
    case Trust.Anybody            => Tls.unchecked
    case Trust.Certificates(file) =>
      try Tls.trusting(Paths.get(file))
      catch {
        case e: IOException          => fail(s"cannot read certificates: ${e.getMessage}")
        case e: InvalidPathException => fail(s"cannot read certificates: ${e.getMessage}")
      }
  }

  private def originOf(url: String): Origin = {
    val server = split(url)._1
    if (Template.names(server).nonEmpty) fail(s"$url: the server's name cannot be a value of the session")
    Url.origin(server).fold(reason => fail(s"$url: $reason"), identity)
  }

  private final class KindCompiler(
      plan: LoadPlan,
      kind: Kind,
      index: Int,
      target: Origin => Target,
      counters: IdentityHashMap[Feeder, AtomicLong]
  ) {
    private val feeders = kind.requests.flatMap(_.feeders).distinct
    private val names   =
      (feeders.flatMap(_.columns) ++ kind.requests.flatMap(_.draws.map(_.name))).distinct.zipWithIndex.toMap

    def result: CompiledKind = {
      val requests = kind.requests.map(compile)
      requests.zip(requests.drop(1)).foreach { case (one, next) => one.next = next }
      new CompiledKind(index, kind, requests.head, names.size, feeders.map(feeder))
    }

    private def feeder(f: Feeder): CompiledFeeder = {
      if (f.rows.isEmpty) fail(s"kind '${kind.name}': a feeder has no rows")
      if (f.rows.exists(_.size != f.columns.size))
        fail(s"kind '${kind.name}': a feeder's row has not as many values as there are columns")
      val counter = counters.computeIfAbsent(f, _ => new AtomicLong)
      new CompiledFeeder(f.rows.map(_.toArray).toArray, f.columns.map(names).toArray, f.random, counter)
    }

    private def template(text: String, where: String): Template =
      Template.of(text, names).fold(
        name => fail(s"kind '${kind.name}': no feeder and no draw gives '$name', which stands in $where"),
        identity
      )

    private def compile(r: RequestTemplate): CompiledRequest = {
      val path   = split(r.url)._2
      val origin = originOf(r.url)
      if (!Grammar.isToken(r.method)) fail(s"'${r.method}' is not a method")
      checkUrl(r.url)
      r.headers.foreach { case (name, value) =>
        if (!Grammar.isToken(name)) fail(s"'$name' is not the name of a header")
        if (value.exists(c => c < ' ' && c != '\t' || c == 127))
          fail(s"the header $name has a control character")
        if (name.equalsIgnoreCase("Content-Length") || name.equalsIgnoreCase("Transfer-Encoding"))
          fail(s"the header $name follows from the body and cannot be given")
        if (plan.keepAlive && name.equalsIgnoreCase("Connection") && value.trim.equalsIgnoreCase("close"))
          fail("the header Connection: close contradicts keep-alive; say keep-alive: false")
      }
      def has(name: String) = r.headers.exists(_._1.equalsIgnoreCase(name))
      val isForm            = r.headers.exists { case (name, value) =>
        name.equalsIgnoreCase("Content-Type") && value.toLowerCase.contains("form-urlencoded")
      }
      val implied =
        (if (has("Host")) Vector.empty else Vector("Host" -> origin.authority)) ++
          (if (plan.keepAlive || has("Connection")) Vector.empty else Vector("Connection" -> "close"))
      val lines =
        (implied ++ r.headers).map { case (name, value) => name -> template(value, s"the header $name") }
      val body  = r.body.map(template(_, "the body")).orNull
      val parts = new CompiledRequest.Parts(
        s"${r.method} ",
        template(path.takeWhile(_ != '#'), "the URL"),
        lines,
        body,
        isForm
      )
      new CompiledRequest(
        index,
        target(origin),
        r.method == "HEAD",
        if (parts.isFixed) parts.render(Array.empty) else null,
        parts,
        rules(r)
      )
    }

    private def rules(r: RequestTemplate): AnswerRules = {
      r.checks.foreach {
        case Check.BodyMatches(p) => pattern(p)
        case _                    => ()
      }
      val statuses = r.checks.collect { case Check.Status(codes) => codes }
      val draws    = r.draws.map(d => new CompiledDraw(names(d.name), d.header.orNull, pattern(d.pattern)))
      new AnswerRules(if (statuses.isEmpty) plan.goodStatuses else statuses.reduce(_ & _), r.checks, draws)
    }

    private def pattern(text: String): Pattern =
      try Pattern.compile(text)
      catch { case e: PatternSyntaxException => fail(s"'$text' is not a pattern: ${e.getDescription}") }
  }

}
