package needletail.load.engine.compiled

import java.util.IdentityHashMap
import java.util.concurrent.atomic.AtomicLong
import java.util.regex.Pattern

import needletail.client.url.Origin
import needletail.io.Tls
import needletail.load.plan._

/** A feeder as the engine uses it: gives sessions their rows, in order over all loops, or at random. */
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
 * @param values the number of values of its sessions
 */
private[engine] final class CompiledKind(
    val index: Int,
    val plan: Kind,
    val first: CompiledRequest,
    val values: Int,
    feeders: Vector[CompiledFeeder]
) {

  /** Whether its sessions have no values. Then none are created. */
  def isPlain: Boolean = values == 0

  def newSession(chance: java.util.SplittableRandom): Array[String] = {
    val session = new Array[String](values)
    feeders.foreach(_.feed(session, chance))
    session
  }
}

/** A plan that is compiled for the engine: names resolved, requests as bytes. */
private[engine] final class ExecutablePlan(
    val plan: LoadPlan,
    val kinds: Vector[CompiledKind],
    val targets: Vector[Target]
)

private[engine] object ExecutablePlan {

  /**
   * The executable plan. Left is the first mistake in it. Looks up the names of its servers, unless `names` has them.
   */
  def of(plan: LoadPlan, names: NameResolver = new NameResolver): Either[String, ExecutablePlan] =
    for {
      _   <- PlanCheck.mistake(plan).toLeft(())
      tls <- TrustedTls.of(plan.trust, plan.certificate, plan.resumesTls)
    } yield compile(plan, tls, names)

  private def compile(plan: LoadPlan, tls: Tls, names: NameResolver): ExecutablePlan = {
    val places  = plan.kinds.flatMap(_.requests).map(placeOf).distinct
    val byPlace = places.zipWithIndex.map { case (place @ Place(origin, webSocket), i) =>
      place -> Target.of(i, origin, origin.peer(tls), names, webSocket.orNull)
    }.toMap
    val targets  = places.map(byPlace)
    val counters = new IdentityHashMap[Feeder, AtomicLong]
    val kinds    = plan.kinds.zipWithIndex.map { case (kind, i) =>
      new KindCompiler(plan, kind, i, byPlace, counters).result
    }
    new ExecutablePlan(plan, kinds, targets)
  }

  /** Where connections go, which requests of the same place share. */
  private final case class Place(origin: Origin, webSocket: Option[WebSocketOpening])

  private def placeOf(r: RequestTemplate): Place = Place(
    PlanUrl.origin(r.url).fold(mistake => throw new IllegalArgumentException(mistake), identity),
    if (PlanUrl.isWebSocket(r.url))
      Some(WebSocketOpening(PlanUrl.split(r.url)._2.takeWhile(_ != '#'), r.headers))
    else None
  )

  /** Compiles a kind in which [[PlanCheck]] found no mistake. */
  private final class KindCompiler(
      plan: LoadPlan,
      kind: Kind,
      index: Int,
      target: Place => Target,
      counters: IdentityHashMap[Feeder, AtomicLong]
  ) {
    private val names = kind.valueNames.zipWithIndex.toMap

    def result: CompiledKind = {
      val requests = kind.requests.map(compile)
      requests.zip(requests.drop(1)).foreach { case (one, next) => one.next = next }
      new CompiledKind(index, kind, requests.head, names.size, kind.feeders.map(feeder))
    }

    private def feeder(f: Feeder): CompiledFeeder = {
      val counter = counters.computeIfAbsent(f, _ => new AtomicLong)
      new CompiledFeeder(f.rows.map(_.toArray).toArray, f.columns.map(names).toArray, f.random, counter)
    }

    private def template(text: String): Template = Template.of(text, names)

    private def compile(r: RequestTemplate): CompiledRequest =
      if (PlanUrl.isWebSocket(r.url)) message(r) else request(r)

    private def message(r: RequestTemplate): CompiledRequest = {
      val parts = new CompiledRequest.Message(template(r.body.getOrElse("")))
      val fixed = if (parts.isFixed) parts.render(Array.empty) else null
      new CompiledRequest(
        index,
        target(placeOf(r)),
        false,
        fixed,
        parts,
        rules(r, Set(CompiledRequest.MessageStatus))
      )
    }

    private def request(r: RequestTemplate): CompiledRequest = {
      val path              = PlanUrl.split(r.url)._2
      val place             = placeOf(r)
      val origin            = place.origin
      def has(name: String) = r.headers.exists(_._1.equalsIgnoreCase(name))
      val isForm            = r.headers.exists { case (name, value) =>
        name.equalsIgnoreCase("Content-Type") && value.toLowerCase.contains("form-urlencoded")
      }
      val implied =
        (if (has("Host")) Vector.empty else Vector("Host" -> origin.authority)) ++
          (if (plan.keepAlive || has("Connection")) Vector.empty else Vector("Connection" -> "close"))
      val lines =
        (implied ++ r.headers).map { case (name, value) => name -> template(value) }
      val body  = r.body.map(template).orNull
      val parts = new CompiledRequest.HttpRequest(
        s"${r.method} ",
        template(path.takeWhile(_ != '#')),
        lines,
        body,
        isForm
      )
      new CompiledRequest(
        index,
        target(place),
        r.method == "HEAD",
        if (parts.isFixed) parts.render(Array.empty) else null,
        parts,
        rules(r, plan.goodStatuses)
      )
    }

    private def rules(r: RequestTemplate, good: Set[Int]): AnswerRules = {
      val statuses    = r.checks.collect { case Check.Status(codes) => codes }
      val extractions =
        r.extractions.map(d =>
          new CompiledExtraction(names(d.name), d.header.orNull, Pattern.compile(d.pattern))
        )
      new AnswerRules(
        if (statuses.isEmpty) good else statuses.reduce(_ & _),
        r.checks,
        extractions
      )
    }
  }
}
