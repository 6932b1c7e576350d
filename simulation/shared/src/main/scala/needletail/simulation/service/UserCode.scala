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

  private var streams = List.empty[Watched]

  // callbacks of drains, and those of them that were called
  private var listeners = 0
  private var told      = 0

  /**
   * A place where the library calls user code: throws at times.
   *
   * @param lost run if a fatal error is thrown: nobody is told the result of that code
   */
  def at(place: String, lost: => Unit = ()): Unit = if (world.random.perMille(world.faults.throws)) {
    val isFatal = world.faults.fatal && world.random.percent(10)
    val error   = if (isFatal) fatal(place) else survivable(world.random)
    world.trace.say(world, s"$place throws $error")
    if (isFatal) lost
    throw error
  }

  private def fatal(place: String): Throwable = {
    hasBeenFatal = true
    world.throwsFatal(place)
    new OutOfMemoryError("of the simulation")
  }

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
  def requestStream(content: Array[Byte], failsAt: Int): ByteStream =
    new Watched(content, failsAt, isRequest = true)

  /**
   * How many calls a client need not complete: a fatal error of their content's stream leaves the call itself, or keeps it
   * from telling its end.
   */
  var lostCalls = 0

  /** A callback of a drain, which throws at times. */
  def hearDrain(draining: Async[Unit]): Unit = {
    listeners += 1
    draining.foreach { _ =>
      told += 1
      at("a callback of a drain")
    }
  }

  /** After everything has ended: checks that each stream was released, and that all were told of the drain. */
  def checkEnd(): Unit = if (!hasBeenFatal) {
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
      body: ByteStream = null,
      isRequest: Boolean = false
  ) extends ByteStream {
    private var isBodyRead = body == null
    private var position   = 0
    private var asked      = false // the last piece has not been delivered
    var isOver             = false
    var cancelled          = 0

    def next(): Async[Option[Array[Byte]]] = {
      if (cancelled > 0) world.found(s"a stream was asked after it had been cancelled: $this")
      if (asked) world.found(s"a stream was asked for a piece before the last one had come: $this")
      try at("a stream's next", lost = if (isRequest) lostCalls += 1)
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
      at("a stream's cancel", lost = if (isRequest) lostCalls += 1)
    }

    override def toString: String =
      s"${new String(content, 0, math.min(10, content.length), "US-ASCII")}… at $position of ${content.length}"
  }
}

object UserCode {
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
