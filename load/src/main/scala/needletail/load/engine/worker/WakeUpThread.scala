package needletail.load.engine.worker

import java.nio.file.{Files, Paths}
import java.util.concurrent.atomic.AtomicLongArray
import java.util.concurrent.locks.LockSupport

import scala.util.control.NonFatal

import needletail.io.EventLoop

/**
 * A thread that wakes event loops when something is due there, to some microseconds, as the loops' own waits are in
 * milliseconds. (Spinning through the last millisecond would be as exact, but would take a core from a server on the
 * same machine, and show answers no sooner.) Loops that are awake need no waking, so that it has little to do under
 * high load.
 */
private[engine] final class WakeUpThread(loops: Vector[EventLoop]) extends Waker {
  import WakeUpThread._

  // For each loop when to wake it, and when after that; each loop's on cache lines of its own.
  private val dues                     = new AtomicLongArray((loops.size + 1) * Apart)
  @volatile private var sleeping: Long = Never // until when
  @volatile private var over           = false
  private val thread                   = new Thread(() => live(), "needletail-load-waker")

  loops.indices.foreach { i =>
    dues.set(place(i), Never)
    dues.set(place(i) + 1, Never)
  }
  thread.setDaemon(true)
  thread.start()

  /**
   * Setting `next` in advance saves waking this thread from a sleep that it has just begun, which at many arrivals per
   * second is half of its work.
   */
  def at(i: Int, due: Long, next: Long): Unit = {
    dues.lazySet(place(i) + 1, next) // seen by whoever sees what follows
    dues.set(place(i), due)
    if (due < sleeping) LockSupport.unpark(thread)
  }

  def close(): Unit = {
    over = true
    LockSupport.unpark(thread)
  }

  private def live(): Unit = {
    WakeUpThread.beExact()
    while (!over) {
      // A loop that sets an earlier time from here on sees until when this sleeps, or this sees the time below.
      val earliest = wakeDue()
      sleeping = earliest
      if (!over && !isEarlier(earliest)) {
        val now = System.nanoTime()
        if (earliest > now) LockSupport.parkNanos(earliest - now)
      }
      sleeping = Long.MinValue // awake: need not be unparked
    }
  }

  /** Wakes the loops that are due now. Returns when the next one is. */
  private def wakeDue(): Long = {
    val now      = System.nanoTime()
    var earliest = now + LongestSleep
    var i        = 0
    while (i < loops.size) {
      val due = dues.get(place(i))
      if (due <= now) {
        // A loop that has set another time in between is awake, and handles what is due. The next time is Never or
        // after that time, so that a loop that sets none is not woken forever.
        val said = dues.get(place(i) + 1)
        val next = if (said > now) said else Never
        if (dues.compareAndSet(place(i), due, next)) loops(i).wake()
        earliest = math.min(earliest, next)
      } else if (due < earliest) earliest = due
      i += 1
    }
    earliest
  }

  private def isEarlier(time: Long): Boolean = {
    var i     = 0
    var found = false
    while (!found && i < loops.size) {
      found = dues.get(place(i)) < time
      i += 1
    }
    found
  }

  private def place(i: Int): Int = (i + 1) * Apart
}

private[engine] object WakeUpThread {
  private final val Never = Long.MaxValue
  private final val Apart = 16 // longs: two cache lines, since they are fetched in pairs
  private final val LongestSleep = 1000L * 1000 * 1000 // to check whether it is over

  /** Linux lets a thread oversleep by 50 us unless it requests less; if it cannot, that remains. */
  private def beExact(): Unit =
    try {
      val thread = Files.readSymbolicLink(Paths.get("/proc/thread-self")).getFileName
      Files.write(Paths.get(s"/proc/$thread/timerslack_ns"), Array[Byte]('1'))
      ()
    } catch { case NonFatal(_) => () }
}
