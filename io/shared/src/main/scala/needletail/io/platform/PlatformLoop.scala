package needletail.io.platform

import needletail.async.Loop
import needletail.io.loop.LoopMemory

/**
 * An event loop as a [[Platform]] sees it: its poller dispatches to it. A platform without threads for loops (the
 * simulation) runs the turns from outside: `enter`, `beforeWait`, `leave`; then for each turn `enter`, `goOn`,
 * `beforeWait`, `leave`; finally `enter`, `end`.
 */
private[needletail] abstract class PlatformLoop extends Loop {

  /** Its index among the loops that were created together, from 0. */
  def index: Int

  /** Called by its poller during `poll`, for each source that is ready. */
  private[needletail] def dispatch(source: Pollable, ready: Int): Unit

  /** Starts a thread that runs the loop until it ends. */
  private[needletail] def startThread(): Unit

  /** The calling thread is the loop's own until `leave`. */
  private[needletail] def enter(): Unit
  private[needletail] def leave(): Unit

  /** The first half of a turn. Returns how many milliseconds to wait; 0 for none, -1 until it is woken. */
  private[needletail] def beforeWait(): Int

  /** The second half of a turn: waits for that long, then runs what is ready, due or queued. */
  private[needletail] def goOn(timeout: Int): Unit

  /** Whether it has been stopped. Then `end` follows instead of the next turn. */
  private[needletail] def isStopping: Boolean

  /** A turn threw `e`: reports it, before anything is closed. `end` follows. */
  private[needletail] def fatal(e: Throwable): Unit

  /** Closes everything that the loop owns. */
  private[needletail] def end(): Unit

  /** The memory that its connections hold. */
  private[needletail] def memory: LoopMemory

  /** The number of timers that are set. */
  private[needletail] def timersSet: Int
}
