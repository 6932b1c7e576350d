package needletail.load.engine

import java.nio.file.{Files, Paths}
import java.util.concurrent.atomic.AtomicLongArray
import java.util.concurrent.locks.LockSupport

import scala.util.control.NonFatal

import needletail.io.EventLoop

/**
 * A thread that wakes event loops when something is due there, to some microseconds: what loops wait with counts in
 * milliseconds. (Spinning through the last one would be as exact, but would take a core from a server on the same
 * machine, and show answers no sooner.) Loops that are awake anyway need no waking, so that it has little to do under
 * high load.
 */
private[engine] final class Waker(loops: Vector[EventLoop]) {
  import Waker._

  // For each loop when it wants to be woken, and when after that; each loop's on a cache line of its own.
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
   * From loop `i`: it wants to be woken then, by `System.nanoTime`, and not at what it said before.
   *
   * @param next
   *   and again then, unless it says something else before: who knows it saves this thread from being called out of a
   *   sleep that it has only just begun, which at many arrivals a second is half of all it does
   */
  def at(i: Int, due: Long, next: Long = Long.MaxValue): Unit = {
    dues.lazySet(place(i) + 1, next) // seen by whoever sees what follows
    dues.set(place(i), due)
    if (due < sleeping) LockSupport.unpark(thread)
  }

  def close(): Unit = {
    over = true
    LockSupport.unpark(thread)
  }

  private def live(): Unit = {
    Waker.beExact()
    while (!over) {
      // Whoever says an earlier time from here on sees until when this sleeps, or this sees it below.
      val earliest = wakeDue()
      sleeping = earliest
      if (!over && !isEarlier(earliest)) {
        val now = System.nanoTime()
        if (earliest > now) LockSupport.parkNanos(earliest - now)
      }
      sleeping = Long.MinValue // awake: nobody needs to unpark it
    }
  }

  /** Wakes the loops that want it by now; when the next one does. */
  private def wakeDue(): Long = {
    val now      = System.nanoTime()
    var earliest = now + LongestSleep
    var i        = 0
    while (i < loops.size) {
      val due = dues.get(place(i))
      if (due <= now) {
        // A loop that has said another time in between is awake, and sees to what is due. What was to be next is
        // Never or in the future after that time, so that nothing wakes a loop for ever that says no more.
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

private[engine] object Waker {
  private final val Never = Long.MaxValue
  private final val Apart = 16 // longs: two cache lines, since they are fetched in pairs
  private final val LongestSleep = 1000L * 1000 * 1000 // to look whether it is over

  /** Linux lets a thread oversleep by 50 us unless it asks for less; where it can't be asked, that stays. */
  private def beExact(): Unit =
    try {
      val thread = Files.readSymbolicLink(Paths.get("/proc/thread-self")).getFileName
      Files.write(Paths.get(s"/proc/$thread/timerslack_ns"), Array[Byte]('1'))
      ()
    } catch { case NonFatal(_) => () }
}
