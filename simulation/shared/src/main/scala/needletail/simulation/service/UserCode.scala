package needletail.simulation.service

import scala.util.control.ControlThrowable

import needletail.async.{Async, AsyncPromise}
import needletail.http.ByteStream
import needletail.simulation.world.{SeededRandom, World}

/**
 * Simulated user code: it throws, at random places, whatever code can throw. It also checks what it was promised: that
 * each stream that it passes on is read to its end or cancelled, once.
 */
final class UserCode(world: World) {
  import UserCode._

  /** Whether it has thrown a fatal error. */
  var hasBeenFatal = false

  /**
   * Which places throw fatal errors, those of a group; negative: all. In some simulations only a few do, as a fatal error
   * of a frequent place ends the loop before a rare one is reached.
   */
  private val deadly = if (world.random.percent(50)) -1 else world.random.below(Groups)

  private var streams = List.empty[Watched]

  // callbacks of drains, and those of them that were called
  private var listeners = 0
  private var told      = 0

  /** What was thrown where nobody gets the result of the code, and has not been reported yet. */
  private val unreported = new java.util.IdentityHashMap[Throwable, String]

  // failures that loops report, and no server's log takes
  world.onReport = cause => reported(cause, "the failure hook")

  /**
   * A place where the library calls user code: throws at times.
   *
   * @param isReported whether what is thrown must be reported, as nobody gets the result of that code
   */
  def at(place: String, isReported: Boolean = false): Unit =
    if (world.random.perMille(world.faults.throws)) {
      val isFatal = world.faults.fatal && (
        if (deadly < 0) world.random.percent(10)
        else math.floorMod(place.hashCode, Groups) == deadly && world.random.percent(50)
      )
      val error = if (isFatal) fatal(place) else survivable(world.random)
      world.trace.say(world, s"$place throws $error")
      if (isReported) unreported.put(error, place)
      throw error
    }

  /** A place where what is thrown is nobody's result, so that it must be reported. */
  def aside(place: String): Unit = at(place, isReported = true)

  /** A failure has been reported; `by` throws at times. */
  def reported(cause: Throwable, by: String): Unit = {
    var e     = cause
    var depth = 0
    while (e != null && depth < 8) {
      unreported.remove(e)
      e = e.getCause
      depth += 1
    }
    at(by)
  }

  private def fatal(place: String): Throwable = {
    hasBeenFatal = true
    world.throwsFatal(place)
    new OutOfMemoryError("of the simulation")
  }

  private var checks = List.empty[() => Unit]

  /** A check of what must hold after everything has ended, also where that was by a fatal error. */
  def atEnd(check: => Unit): Unit = checks ::= (() => check)

  /** Pieces of `content`, available at once or later, with failures at times. */
  def stream(content: Array[Byte], failsAt: Int = Int.MaxValue): ByteStream = {
    val fresh = new Watched(content, failsAt)
    streams ::= fresh
    fresh
  }

  /** Pieces of `content`, of which all except the first wait for the whole body that is read from `body`. */
  def greeting(content: Array[Byte], body: ByteStream): ByteStream = {
    val fresh = new Watched(content, Int.MaxValue, body)
    streams ::= fresh
    fresh
  }

  /** The content of a request: a client may cancel it more than once, as the contract of streams allows. */
  def requestStream(content: Array[Byte], failsAt: Int): ByteStream = new Watched(content, failsAt)

  /** A callback of a drain, which throws at times. */
  def hearDrain(draining: Async[Unit]): Unit = {
    listeners += 1
    draining.foreach { _ =>
      told += 1
      at("a callback of a drain")
    }
  }

  /** After everything has ended: checks that each stream was released, and that all were told of the drain. */
  def checkEnd(): Unit = {
    checks.foreach(_())
    unreported.values.forEach(place => world.found(s"what was thrown at $place was not reported"))
    if (!hasBeenFatal) checkOrderly()
  }

  private def checkOrderly(): Unit = {
    streams.foreach { s =>
      if (s.cancelled > 1) world.found(s"a stream was cancelled ${s.cancelled} times: $s")
      if (s.cancelled == 0 && !s.isOver) world.found(s"a stream was forgotten: $s")
    }
    if (told != listeners) world.found(s"$told of $listeners callbacks were told of the drain")
  }

  /** @param body is read after the first piece and before the others; null for nothing */
  private final class Watched(
      content: Array[Byte],
      failsAt: Int,
      body: ByteStream = null
  ) extends ByteStream {
    private var isBodyRead = body == null
    private var position   = 0
    private var asked      = false // the last piece has not been delivered
    var isOver             = false
    var cancelled          = 0

    def next(): Async[Option[Array[Byte]]] = {
      if (cancelled > 0) world.found(s"a stream was asked after it had been cancelled: $this")
      if (asked) world.found(s"a stream was asked for a piece before the last one had come: $this")
      try at("a stream's next")
      catch { case e: Throwable => isOver = true; throw e }
      if (!isBodyRead && position > 0)
        body.next().transform {
          case scala.util.Failure(e)         => isOver = true; Async.fail(e)
          case _ if cancelled > 0            => Async.value(None)
          case scala.util.Success(something) =>
            isBodyRead = something.isEmpty
            next()
        }
      else if (world.random.percent(60)) { // at once
        val piece = take()
        if (piece == null) { isOver = true; Async.fail(new IllegalStateException("the stream failed")) }
        else Async.value(piece)
      } else {
        asked = true
        val promise = new AsyncPromise[Option[Array[Byte]]]
        val loop    = needletail.async.Loop.current
        world.after(world.random.longBetween(0, world.random.pick(waits))) {
          try
            loop.execute { () =>
              asked = false
              if (cancelled == 0) {
                val piece = take()
                if (piece == null) {
                  isOver = true; promise.fail(new IllegalStateException("the stream failed"))
                } else promise.succeed(piece)
              }
              ()
            }
          catch { case _: java.util.concurrent.RejectedExecutionException => () }
        }
        promise
      }
    }

    /** The next piece, null for a failure. */
    private def take(): Option[Array[Byte]] =
      if (position >= failsAt) null
      else if (position == content.length) { isOver = true; None }
      else {
        val n = math.min(world.random.skewed(20000), math.min(failsAt, content.length) - position)
        position += n
        Some(java.util.Arrays.copyOfRange(content, position - n, position))
      }

    def cancel(): Unit = {
      cancelled += 1
      if (body != null) body.cancel()
      at("a stream's cancel")
    }

    override def toString: String =
      s"${new String(content, 0, math.min(10, content.length), "US-ASCII")}… at $position of ${content.length}"
  }
}

object UserCode {
  private final val Groups = 8

  private val waits = Seq(1000L, 3000000L, 700000000L)

  def survivable(random: SeededRandom): Throwable = random.below(7) match {
    case 0 => new RuntimeException("of the simulation")
    case 1 => new StackOverflowError("of the simulation")
    case 2 => new NoClassDefFoundError("of the simulation")
    case 3 => new ExceptionInInitializerError("of the simulation")
    case 4 => new ControlThrowable("of the simulation") {}
    case 5 => new InterruptedException("of the simulation")
    case _ => new AssertionError("of the simulation")
  }
}
