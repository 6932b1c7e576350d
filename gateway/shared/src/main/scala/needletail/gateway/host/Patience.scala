package needletail.gateway.host

import needletail.async.{Loop, Timer}
import needletail.gateway.host.backend.Backend
import needletail.gateway.host.incoming.ProgramRequest

/**
 * How long a program is waited for in a [[Conversation]]: each time for `timeout` without progress, for the head of its
 * response a little less than the server waits; for as long in all with output that nobody wants; and for `maxTime`. To
 * be used on the request's loop.
 */
private[host] final class Patience(
    request: ProgramRequest,
    config: ProgramHostConfig,
    owner: Patience.Owner
) {
  private var backend: Backend = null // set by `begin`
  private var headNanos        = 0L   // time limit of the head
  private var began            = 0L
  private var progress         = 0L   // time of the last progress
  private var inputProgress    = 0L   // the backend's by then
  private var unheard          = 0L   // for how long it was not heard by then
  private var discarding       = false
  private var discardingSince  = 0L
  private var timer: Timer     = null
  private var isOver           = false

  /** Whether content of the request is waited for. */
  var awaitsClient = false

  /** Whether output is waited for. */
  var awaitsProgram = false

  def begin(backend: Backend): Unit = {
    this.backend = backend
    headNanos = timeForHead
    began = Loop.nanoTime()
    progressed()
    checkAfter(math.min(headNanos, config.maxTime.toNanos))
  }

  private def timeForHead: Long = {
    val own = config.timeout.toNanos
    // a little before the server would answer with 503
    request.limit.timeLeft.fold(own)(time => math.min(own, math.max(1L, time.toNanos * 19 / 20)))
  }

  def end(): Unit = {
    isOver = true
    if (timer != null) timer.cancel()
  }

  def progressed(): Unit = {
    progress = Loop.nanoTime()
    inputProgress = backend.inputProgress
    unheard = backend.unheardNanos
  }

  /** It has read, or content has arrived for it. */
  def inputProgressed(): Unit = {
    progressed()
    if (!owner.isAllFed) discardingSince = progress
  }

  /** From now on its output is dropped. */
  def discards(): Unit = if (!discarding) {
    discarding = true
    discardingSince = Loop.nanoTime()
  }

  def isDiscarding: Boolean = discarding

  /** Looks whether the program has read more of what was written to it: most of a large piece may still wait. */
  private def lookAtInput(): Unit = {
    backend.offerInput()
    if (backend.inputProgress > inputProgress || awaitsClient) inputProgressed()
  }

  /** When it reads shows only when somebody looks: so often that the time of its last progress is known well enough. */
  private def checkAfter(nanos: Long): Unit = {
    val look = if (hasContent) lookNanos else nanos
    timer = Loop.current.schedule(math.min(nanos, look), () => check())
  }

  private def hasContent: Boolean = request.content.stream != null

  private def lookNanos: Long = math.max(Patience.LeastLook, headOrStreamNanos / 64)

  /**
   * Ends a program that makes no progress while it is waited for, and heard. Slow clients are the server's task.
   * None of its time passes while it is not heard: it is looked at often then, as nobody tells when that is over.
   */
  private def check(): Unit = if (!isOver) {
    if (hasContent) lookAtInput()
    val now     = Loop.nanoTime()
    val missed  = backend.unheardNanos - unheard
    val stalled = headOrStreamNanos - (now - progress - missed)
    val whole   = config.maxTime.toNanos - (now - began)
    val unread  = if (discarding) config.timeout.toNanos - (now - discardingSince) else whole
    val isIdle  = !awaitsProgram || awaitsClient
    if (whole <= 0 || (stalled <= 0 && !isIdle))
      // the other limits say nothing about the program
      owner.tooLong(isStuck = !isIdle && now - progress - missed >= config.timeout.toNanos)
    else if (unread <= 0) owner.unendedOutput() // it is not stuck, but nobody wants what it writes
    else {
      if (isIdle) progressed()
      val next =
        if (isIdle) headOrStreamNanos else if (backend.isHeard) stalled else math.max(stalled, lookNanos)
      checkAfter(math.min(next, math.min(whole, unread)))
    }
  }

  private def headOrStreamNanos: Long = if (owner.hasAnswered) config.timeout.toNanos else headNanos
}

private[host] object Patience {

  /** What the program is waited for by. */
  trait Owner {

    /** Whether the head of the response has arrived. */
    private[host] def hasAnswered: Boolean

    /** Whether the program has got all content of the request, or needs no more. */
    private[host] def isAllFed: Boolean

    /**
     * The program has made no progress for too long, or its whole time is over.
     *
     * @param isStuck whether it has made none for `timeout` while it was waited for
     */
    private[host] def tooLong(isStuck: Boolean): Unit

    /** It still writes although nobody has wanted that for a while. */
    private[host] def unendedOutput(): Unit
  }

  /** The least time between two looks whether the program has read, in ns. */
  private final val LeastLook = 1000000L
}
