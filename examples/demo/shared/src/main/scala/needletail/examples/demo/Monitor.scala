package needletail.examples.demo

import scala.collection.immutable.Queue
import scala.concurrent.Future
import scala.concurrent.duration._
import scala.util.control.NonFatal

import needletail.async.Async
import needletail.client.HostStatistics
import needletail.http.Reply
import needletail.io.EventLoops
import needletail.json.Json
import needletail.server.Operations

/**
 * Reads the state of customers and store twice a second, and remembers the last minute.
 *
 * @param services the statistics of the store's services
 */
final class Monitor(
    customers: () => Future[Map[Kind, Tally]],
    operations: Operations,
    services: () => Seq[HostStatistics],
    situation: () => Json
) extends AutoCloseable {
  import Monitor._

  private val loops = new EventLoops(1, "needletail-monitor", daemon = true)

  @volatile private var seen: Queue[Snapshot] = Queue.empty

  // used on the monitor's loop
  private var recent      = Queue.empty[Slice]
  private var number      = 0L
  private var refusedOnce = 0.0
  private var failedSoFar = Map.empty[Kind, Long].withDefaultValue(0L)
  private var at          = System.nanoTime()

  def start(): Unit = { Async.run(loops(0))(beats()); () }

  /** The readings of the last minute, the oldest first. */
  def history: Seq[Snapshot] = seen

  /** The readings after that number. */
  def after(number: Long): Seq[Snapshot] = seen.filter(_.number > number)

  def close(): Unit = loops.stop()

  private def beats(): Async[Unit] =
    Async.sleep(Beat).flatMap(_ => look()).recover { case NonFatal(_) => () }.flatMap(_ => beats())

  /** Fails if the server has ended, or does not answer: then a reading is missing. */
  private def look(): Async[Unit] =
    for {
      tallies <- Async.fromFuture(customers())
      metrics <- readings()
    } yield {
      val now = System.nanoTime()
      recent = recent.enqueue(Slice((now - at) / 1e9, tallies)).takeRight(Window)
      at = now
      val refused = metrics.sum("needletail_requests_refused_total")
      number += 1
      val kinds = Kind.all.map(kind => Json.Member.of(kind.name -> ofKind(kind, tallies)))
      val json  = Json.obj(
        "at"          -> System.currentTimeMillis(),
        "kinds"       -> Json.obj(kinds*),
        "connections" -> rounded(metrics.sum("needletail_connections")),
        "inFlight"    -> rounded(metrics.sum("needletail_requests_in_flight")),
        "shed"        -> rounded(refused),
        "shedNow"     -> rounded((refused - refusedOnce) / recent.last.seconds),
        "services"    -> services().map(state),
        "situation"   -> situation()
      )
      refusedOnce = refused
      seen = seen.enqueue(new Snapshot(number, json)).takeRight(Remembered)
    }

  private def readings(): Async[MetricSums] = operations.metrics match {
    case later: Reply.Later =>
      later.response.flatMap(_.body.bytes).map(bytes => new MetricSums(new String(bytes, "UTF-8")))
    case _: needletail.http.Response => Async.fail(new IllegalStateException("the store is not open yet"))
  }

  private def ofKind(kind: Kind, now: Map[Kind, Tally]): Json = {
    val sum     = new Tally
    val seconds = recent.map(_.seconds).sum
    recent.foreach(slice => sum.add(slice.tallies(kind)))
    failedSoFar = failedSoFar.updated(kind, failedSoFar(kind) + now(kind).failed)
    val times = sum.percentiles(0.5, 0.9, 0.99)
    Json.obj(
      "p50"     -> rounded(times(0)),
      "p90"     -> rounded(times(1)),
      "p99"     -> rounded(times(2)),
      "good"    -> rounded(sum.good / seconds),
      "failed"  -> rounded(sum.failed / seconds),
      "errors"  -> failedSoFar(kind),
      "failure" -> sum.failure
    )
  }

  /** To two decimal places; NaN, of an empty window, becomes null. */
  private def rounded(value: Double): Double =
    if (value.isNaN || value.isInfinite) value else Math.round(value * 100) / 100.0

  private def state(service: HostStatistics): Json = Json.obj(
    "breaker"  -> service.breaker.toString,
    "inFlight" -> service.inFlight
  )
}

object Monitor {
  val Beat: FiniteDuration = 500.millis

  /** MetricSums that percentiles and rates are computed from: two seconds, so that there are a few hundred requests. */
  private final val Window = 4

  private final val Remembered = 120

  /** A reading. */
  final class Snapshot private[Monitor] (val number: Long, val json: Json)

  private final case class Slice(seconds: Double, tallies: Map[Kind, Tally])
}
