package needletail.load.engine.worker

import java.net.InetAddress
import java.util.concurrent.atomic.AtomicLong

import needletail.client.config.ClientConfig
import needletail.client.connection.ClientLoopContext
import needletail.io.EventLoop
import needletail.async.TimerHeap
import needletail.io.platform.ConnectionOptions
import needletail.load.engine.compiled.ExecutablePlan
import needletail.load.engine.count.{FailureSamples, WorkerCounts}
import needletail.load.plan.{LoadPlan, Pause}
import needletail.load.result.Outcome

import scala.concurrent.duration._

/** What all workers of a run share. */
private[engine] final class RunContext(
    val compiled: ExecutablePlan,
    val sources: Vector[InetAddress],
    val loops: Int,
    val startNanos: Long,
    val waker: Waker,
    val seed: Long
) {
  val reasons: FailureSamples = new FailureSamples

  private val lastLeft = new AtomicLong(startNanos)

  /** No request waits for a connection any more on some loop, after the load has ended. */
  def backlogOver(now: Long): Unit = {
    lastLeft.accumulateAndGet(now, (a, b) => math.max(a, b))
    ()
  }

  /** When the last request that had waited for a connection left, if that was after the load's end. */
  def backlogEnd: Long = lastLeft.get
}

/**
 * One loop's share of a run; all of its requests are handled on its thread. It runs in every turn of the loop, and has
 * the loop woken when something is due.
 *
 * @param done called once, on the loop, when nothing is in flight and nothing more will be sent
 */
private[engine] abstract class Worker(
    val index: Int,
    val loop: EventLoop,
    shared: RunContext,
    val tally: WorkerCounts,
    done: () => Unit
) extends Runnable {
  protected val plan   = shared.compiled.plan
  protected val random = new java.util.SplittableRandom(shared.seed + 7919L * index)
  private var source   = index
  private var asked    = Long.MaxValue // when the waker will wake this loop
  private var inTurn   = false
  private var isDone   = false

  /** Whether counting and sending have ended. */
  var isStopped: Boolean = false

  val timeoutNanos: Long = plan.timeout.toNanos
  val context            = new ClientLoopContext(loop, Worker.clientConfig(plan))

  /** Numbers for connections with TLS. */
  val sessions = new SessionNumbers(index, shared.loops)

  /** Scheduled items: users in a pause, sessions. */
  protected val waiting = new TimerHeap

  /** Does what is due at `now`. Returns when the next item is due. */
  protected def pace(now: Long): Long

  /** When the item after that is due, if known; otherwise Long.MaxValue. */
  protected def paceAfterNext: Long = Long.MaxValue

  /** Counts requests that are due and wait for a connection as unsent. */
  protected def dropUnsent(now: Long): Unit

  final def begin(): Unit = loop.onEveryTurn(this)

  /** Runs in each turn of the loop. */
  final def run(): Unit = if (!isStopped) {
    inTurn = true
    val next = pace(loop.clockNanos)
    inTurn = false
    if (next != asked) {
      asked = next
      shared.waker.at(index, next, paceAfterNext)
    }
  }

  /** Schedules `node`. */
  protected final def fireAt(node: needletail.async.TimerNode, due: Long): Unit = {
    waiting.add(node, due)
    if (!inTurn && due < asked) {
      asked = due
      shared.waker.at(index, due)
    }
  }

  protected final def fireDue(now: Long): Unit = {
    var node = waiting.takeDue(now)
    while (node ne null) {
      node.fire()
      node = waiting.takeDue(now)
    }
  }

  /** Stops at once: requests in flight are not counted. */
  final def stop(now: Long): Unit = if (!isStopped) {
    dropUnsent(now)
    isStopped = true
  }

  protected final def finished(): Unit = if (!isDone) {
    isDone = true
    done()
  }

  /** Records a failure of a request, or of a connection for some. */
  final def note(outcome: Outcome, error: Throwable): Unit = shared.reasons.note(outcome, error)

  final def nextSource(): InetAddress =
    if (shared.sources.isEmpty) null
    else {
      source += 1
      shared.sources(source % shared.sources.size)
    }

  /** How long opening a connection may take for a request with that deadline. */
  final def connectNanos(deadline: Long): Long =
    math.min(context.connectNanos, math.max(1, deadline - loop.clockNanos))

  /** A pause's length in nanoseconds. */
  protected final def lengthOf(pause: Pause): Long = pause match {
    case Pause.None                 => 0
    case Pause.Constant(time)       => time.toNanos
    case Pause.Uniform(least, most) =>
      least.toNanos + (random.nextDouble() * (most.toNanos - least.toNanos).toDouble).toLong
    case Pause.Normal(mean, deviation) =>
      math.abs(mean.toNanos + random.nextGaussian() * deviation.toNanos).toLong
  }
}

private[engine] object Worker {

  /** Limits that protect an application are wide here, so that the server's behaviour is measured. */
  def clientConfig(plan: LoadPlan): ClientConfig = ClientConfig(
    pipelining = plan.pipelining,
    connectTimeout = plan.connectTimeout,
    idleTimeout = 1.day,
    maxHead = 48 * 1024,
    maxHeaders = 1000,
    socket = ConnectionOptions()
  )
}
