package needletail.simulation.service

import java.nio.charset.StandardCharsets.US_ASCII

import scala.concurrent.duration._
import scala.util.{Failure, Success, Try}

import needletail.actor.{Actor, ActorRef, Recipient}
import needletail.async.{Async, AsyncPromise, Loop}
import needletail.http.{ByteStream, MessageBody, Reply}
import needletail.routing._
import needletail.server.operations.Operations
import needletail.simulation.reader.Mark
import needletail.simulation.world.World

/**
 * The handler of a simulation: it responds with the mark of the request and content made of it, at once, later, never,
 * on another thread or in pieces, and throws at random places.
 *
 * @param seen told of each request's mark, `none` if it has none
 */
final class Service(world: World, code: UserCode, operations: Operations, seen: String => Unit = _ => ()) {
  import Service.Ask

  private var actor: ActorRef[Ask] = null

  /** Requests whose handler waits for ever, and how many of them it has been told to give up. */
  var waiting: Int = 0
  var givenUp: Int = 0

  // by the first of two hooks; `givenUp` is by the second
  private var cancelled = 0
  code.atEnd {
    if (cancelled != givenUp && !code.hasBeenFatal)
      world.found(s"$givenUp of $cancelled cancellations have run their second hook")
  }

  private val wrappers = new Wrappers(world, code)
  private val actors   = new ActorCode(world, code)
  private val streams  = new StreamCode(world, code)
  private val routed   = new RoutedCode(world, code)

  /** Whether there is user code around the routes, which listens for drains. */
  def isWrapped: Boolean = wrappers.areUsed

  private def filtered = arg[String]("kind").filter(_ => { code.at("a filter"); true }, "{NAME} is fine")

  val routes: Routes = wrappers.around(Routes(
    (GET / "probe" to "alive".ok).priority(Priority.Critical),
    (GET / "metrics" to operations.metrics).priority(Priority.Critical),
    (GET / "limited" / filtered + request to { case (kind, r) => serve(kind, r) })
      .limit(2, queue = 2, queueTime = 300.millis),
    routed.routes,
    GET / filtered + request to { case (kind, r) => serve(kind, r) },
    POST / filtered + request to { case (kind, r) => serve(kind, r) }
  ))

  private def serve(kind: String, request: Request): Reply = {
    code.at("a handler")
    val mark = request.header("X-Mark").getOrElse("none")
    val size = request.header("X-Size").fold(0)(_.toInt)
    seen(mark)

    world.trace.say(world, s"a request for $kind, $size bytes of $mark")

    def content: Array[Byte] = Mark.content(mark, size)
    val ok                   = Response.ok.header("X-Mark", mark)
    def whole: Response      = ok.bytes(content)

    kind match {
      case "now"          => whole
      case "later"        => Async.sleep(pause()).map { _ => code.at("a later answer"); whole }
      case "never"        => never()
      case "blocking"     => Async.blocking { code.at("blocking work"); whole }
      case "thread"       => elsewhere(whole)
      case "actor"        => ask(mark).map(own => ok.bytes(Mark.content(own, size)))
      case "actors"       => actors.ask(mark).map(own => ok.bytes(Mark.content(own, size)))
      case "tasks"        => byTasks(whole)
      case "operators"    => ok.stream(streams.through(streams.source(content)))
      case "folded"       => streams.all(streams.through(streams.source(content))).map(ok.bytes(_))
      case "coded"        => ok.header("Content-Encoding", Service.Coding).bytes(content)
      case "stream"       => ok.stream(code.stream(content))
      case "known"        => ok.stream(code.stream(content), size.toLong)
      case "lies"         => ok.stream(code.stream(Mark.content(mark, size / 2)), size.toLong)
      case "breaks"       => ok.stream(code.stream(content, failsAt = size / 2))
      case "later-stream" => Async.sleep(pause()).map(_ => ok.stream(code.stream(content)))
      case "cached"       => shared(ok, content)
      case "echo" => request.body.bytes.map { bytes => code.at("an answer to a body"); ok.bytes(bytes) }
      case "pipe" => piped(ok, request.body)
      case "pipe-operators" => ok.stream(streams.through(request.body.stream))
      case "fold"           => streams.all(streams.through(request.body.stream)).map(ok.bytes(_))
      case "ignore"         => whole
      case "ignore-stream"  => ok.stream(code.stream(content))
      case "peek"           => request.body.stream.next().map(_ => whole)
      case "greets"         => ok.stream(code.greeting(content, request.body.stream))
      case "until-drain"    => ok.stream(code.stream(content).until(wrappers.draining(request)))
      case "events"         => Response.ok.header("Content-Type", "text/event-stream").stream(new Events)
      case "news"           => ok.stream(new Events().until(wrappers.draining(request)))
      case "second"         => Async.sleep(1.second).map(_ => whole)
      case "page"           => "no mark".ok // like an error page or help, which belongs to no request
      case _                => Response.notFound
    }
  }

  private def never(): Async[Response] = {
    val promise = new AsyncPromise[Response]
    promise.onCancel { () => cancelled += 1; code.aside("a hook of a cancellation") }
    promise.onCancel { () => givenUp += 1; code.aside("another hook of a cancellation") }
    waiting += 1
    promise
  }

  /** An answer by tasks and timers of the loop, beside others that throw. */
  private def byTasks(answer: => Response): Async[Response] = {
    val promise = new AsyncPromise[Response]
    val loop    = Loop.current
    val timer   = loop.schedule(pause().toNanos, () => code.aside("a timer"))
    loop.schedule(1000, () => code.aside("another timer"))
    loop.execute(() => code.aside("a task"))
    loop.execute { () => promise.succeed(answer); code.aside("an answering task") }
    promise.onCancel { () => timer.cancel(); code.aside("a hook of a cancellation") }
    promise
  }

  private def pause(): FiniteDuration = world.random.longBetween(0, world.random.pick(Service.pauses)).nanos

  private def elsewhere(answer: => Response): Async[Response] = Async.callback[Response] { done =>
    world.otherThreads.execute(() => done(attempt { code.at("another thread"); answer }))
  }

  /** Like user code that passes on any result. */
  private def attempt[A](body: => A): Try[A] =
    try Success(body)
    catch { case e: Throwable => Failure(e) }

  private def ask(mark: String): Async[String] = {
    if (actor == null || actor.isStopped)
      actor = Actor.spawn[Ask](Loop.current)(_ => ask => { code.at("an actor"); ask.answer ! ask.mark })
    actor.ask[String](1.second)(Ask(_, mark))
  }

  /** A response that has other observers too: cancelling it must not take it from them. */
  private def shared(ok: Response, content: => Array[Byte]): Async[Response] =
    Async.sleep(pause()).map(_ => ok.bytes(content)).shield

  private def piped(ok: Response, body: MessageBody): Response = {
    val response =
      if (body.length >= 0) ok.stream(watched(body.stream), body.length) else ok.stream(watched(body.stream))
    response
  }

  /** One event, and then none. */
  private final class Events extends ByteStream {
    private var hasTold                    = false
    def next(): Async[Option[Array[Byte]]] =
      if (hasTold) new AsyncPromise[Option[Array[Byte]]]
      else {
        hasTold = true
        Async.value(Some(Service.ascii("data: one\n\n")))
      }
    def cancel(): Unit = ()
  }

  /** The request's own stream, with user code in between. */
  private def watched(source: ByteStream): ByteStream = new ByteStream {
    def next(): Async[Option[Array[Byte]]] = {
      code.at("a stream over a body")
      source.next().map { piece => code.at("a piece of a body"); piece }
    }
    def cancel(): Unit = {
      source.cancel()
      code.at("the cancel of a stream over a body")
    }
  }
}

object Service {
  private final case class Ask(answer: Recipient[String], mark: String)

  private val pauses = Seq(1000L, 5000000L, 800000000L, 5000000000L)

  /** What may be requested, and what may be requested with content. */
  val kinds: Seq[String] = Seq(
    "now",
    "now",
    "now",
    "later",
    "never",
    "blocking",
    "thread",
    "actor",
    "actors",
    "tasks",
    "operators",
    "operators",
    "folded",
    "coded",
    "stream",
    "stream",
    "known",
    "lies",
    "breaks",
    "later-stream",
    "until-drain",
    "cached",
    "page",
    "limited/now",
    "limited/later",
    "limited/stream",
    "nothing"
  ) ++ RoutedCode.kinds
  val bodyKinds: Seq[String] =
    Seq(
      "echo",
      "echo",
      "pipe",
      "pipe",
      "pipe-operators",
      "fold",
      "ignore",
      "ignore-stream",
      "peek",
      "greets",
      "greets",
      "now",
      "stream"
    ) ++ RoutedCode.bodyKinds

  /** The content of a request of that kind, or else of its response, of about that size. */
  def content(kind: String, mark: String, size: Int): Array[Byte] =
    if (kind == "typed/json") Mark.json(mark, size) else Mark.content(mark, size)

  /** What is sent as Authorization for that kind; null for nothing. */
  def authorization(kind: String): String = RoutedCode.authorization(kind)

  /** A coding of the simulation's own, which changes nothing. */
  final val Coding = "own"

  /** Whether the response may end early, as the server drains. */
  def mayEndEarly(kind: String): Boolean = kind == "until-drain"

  /** Kinds that always respond, completely, and soon. */
  val steadyKinds: Seq[String] = Seq("now", "stream", "known", "cached")

  def ascii(text: String): Array[Byte] = text.getBytes(US_ASCII)
}
