package needletail.load.engine

import java.net.InetAddress

import needletail.client.{ClientConfig, LoopContext}
import needletail.io.{ConnectionOptions, EventLoop, TimerHeap}
import needletail.load.plan.{LoadPlan, Pause}
import needletail.load.result.Outcome

import scala.concurrent.duration._

/** What all workers of a run share. */
private[engine] final class RunContext(
    val compiled: Compiled,
    val sources: Vector[InetAddress],
    val loops: Int,
    val startNanos: Long,
    val waker: Waker,
    val seed: Long
) {
  val reasons: Reasons = new Reasons
}

/**
 * One loop's share of a run: all that happens to its requests happens on its thread. It runs in every turn of the loop,
 * and has the loop woken when something is due.
 *
 * @param done
 *   is called once, on the loop, when nothing is under way and nothing more will be
 */
private[engine] abstract class Worker(
    val index: Int,
    val loop: EventLoop,
    shared: RunContext,
    val tally: Tally,
    done: () => Unit
) extends Runnable {
  protected val plan   = shared.compiled.plan
  protected val random = new java.util.SplittableRandom(shared.seed + 7919L * index)
  private var source   = index
  private var asked    = Long.MaxValue // when the waker was asked to wake this loop
  private var inTurn   = false
  private var isDone   = false

  /** Nothing is counted and nothing is begun any more. */
  var isStopped: Boolean = false

  val timeoutNanos: Long = plan.timeout.toNanos
  val context            = new LoopContext(loop, Worker.clientConfig(plan))

  /** What waits for its time: users in a pause, sessions. */
  protected val waiting = new TimerHeap

  /** Does what is due at `now`; when the next thing is. */
  protected def pace(now: Long): Long

  /** When something is due after that, as far as that can be told; Long.MaxValue for not at all. */
  protected def paceAfterNext: Long = Long.MaxValue

  /** Requests that were due and wait for a connection: they are told that they will not be sent. */
  protected def dropUnsent(now: Long): Unit

  final def begin(): Unit = loop.eachTurn(this)

  /** A turn of the loop. */
  final def run(): Unit = if (!isStopped) {
    inTurn = true
    val next = pace(System.nanoTime())
    inTurn = false
    if (next != asked) {
      asked = next
      shared.waker.at(index, next, paceAfterNext)
    }
  }

  /** Has `node` fire then. */
  protected final def fireAt(node: needletail.io.TimerNode, due: Long): Unit = {
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

  /** At once: what is under way is not counted. */
  final def stop(now: Long): Unit = if (!isStopped) {
    dropUnsent(now)
    isStopped = true
  }

  protected final def finished(): Unit = if (!isDone) {
    isDone = true
    done()
  }

  /** A request, or a connection for some, failed so. */
  final def note(outcome: Outcome, error: Throwable): Unit = shared.reasons.note(outcome, error)

  final def nextSource(): InetAddress =
    if (shared.sources.isEmpty) null
    else {
      source += 1
      shared.sources(source % shared.sources.size)
    }

  /** How long a connection may take to stand for a request with that deadline. */
  final def connectNanos(deadline: Long): Long =
    math.min(context.connectNanos, math.max(1, deadline - System.nanoTime()))

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

  /** Limits that are there to protect an application are wide here: what a server does is to be measured. */
  def clientConfig(plan: LoadPlan): ClientConfig = ClientConfig(
    pipelining = plan.pipelining,
    connectTimeout = plan.connectTimeout,
    idleTimeout = 1.day,
    maxHead = 48 * 1024,
    maxHeaders = 1000,
    socket = ConnectionOptions()
  )
}
