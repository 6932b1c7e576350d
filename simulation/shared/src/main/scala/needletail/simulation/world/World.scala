package needletail.simulation.world

import java.util.concurrent.{CountDownLatch, Executor}
import scala.collection.mutable.ArrayBuffer

import needletail.async.Survivable
import needletail.io.platform.PlatformLoop

/**
 * A simulation in memory and in virtual time: its event loops, its network and its clients take turns on one thread,
 * in an order determined by the seed.
 *
 * Nothing in it reads a real clock, starts a thread or opens a descriptor. Time advances when nothing can run, and by
 * random durations of work.
 */
final class World(val seed: Long, traced: Boolean = false) {
  val random = new SeededRandom(seed)
  val trace  = new Trace(traced)

  /** Nanoseconds since the start, plus an offset: never 0, which could be taken for "not set". */
  private var time = 1000L * 1000 * 1000 * 1000

  private val events  = new EventQueue
  private val running = new ArrayBuffer[RunningLoop]

  /** Loops that have ended by a fatal error. */
  val failedLoops = new ArrayBuffer[PlatformLoop]

  /** How many. */
  def fatalLoops: Int = failedLoops.size

  /** Errors found in the library: the findings of this simulation. */
  val findings = new ArrayBuffer[String]

  /** The faults that are injected. */
  var faults: FaultRates = FaultRates(random)

  /** Told of each failure that a loop reports and no server's log takes. */
  var onReport: Throwable => Unit = _ => ()

  val network  = new Network(this)
  val platform = new SimulatedPlatform(this)

  def now: Long = time

  /** Other programs on the processor that all loops share. */
  var neighbour: Neighbour = Neighbour.none

  private var current: RunningLoop = null // whose turn it is

  /** Processor time of the loop whose turn it is, in nanoseconds; -1 between turns. */
  def processorNanos: Long = if (current == null) -1 else current.worked

  /** Whether the platform knows how often a loop has waited, as natively, or else for how long it has wanted to run. */
  private val knowsWaits = seed % 2 == 0

  /** How often that loop has waited in a turn; -1 between turns, and if it is not known. */
  def waits: Long = if (current == null || !knowsWaits) -1 else current.waited

  /** For how long others have had the processor in turns of that loop; -1 likewise. */
  def delayNanos: Long = if (current == null || knowsWaits) -1 else current.delayed

  /** The current turn works for that much processor time, which takes longer if others have the processor meanwhile. */
  def work(nanos: Long): Unit = {
    var left = nanos
    while (left > 0) {
      val before = time
      time = neighbour.leavesAt(time)
      val piece = math.min(left, neighbour.comesAt(time) - time)
      if (current != null) {
        current.delayed += time - before
        current.worked += piece
      }
      time += piece
      left -= piece
    }
  }

  /** User code throws a fatal error there: the loop whose turn it is must end, unless it is ending already. */
  def throwsFatal(place: String): Unit = if (current != null && !current.isEnding) current.dueToEnd = place

  /** The current turn waits, and does not work: user code that blocks its loop. */
  def block(nanos: Long): Unit = {
    time += nanos
    if (current != null) current.waited += 1
  }

  /** The clock as a loop reads it: each reading costs a little, and at times another program has the processor. */
  def readClock(): Long = {
    work(50L + random.below(1000))
    if (random.perMille(faults.preempted)) {
      val nanos = World.pause(random)
      trace.say(this, s"everything stands still for ${nanos / 1000} us")
      time += nanos
    }
    time
  }

  /** Notes what must not be, with a dot for each control character: findings are printed, and entered into texts. */
  def found(what: => String): Unit = {
    val text = what.map(c => if (c < ' ' && c != '\n' || c == 0x7f) '.' else c)
    trace.say(this, s"FOUND: $text")
    if (findings.size < 20) findings += text
  }

  /** Runs `action` after that time, among everything else. */
  def after(nanos: Long)(action: => Unit): Unit = at(time + math.max(0L, nanos))(action)

  def at(nanos: Long)(action: => Unit): Unit = events.add(nanos, () => action)

  /** Runs blocking work: on other threads, each of which starts it after a while. */
  val otherThreads: Executor = task =>
    after(random.longBetween(0, random.pick(World.Delays))) {
      trace.say(this, "another thread works")
      try task.run()
      catch { case e: Throwable if !Survivable(e) => trace.say(this, s"another thread ends: $e") }
    }

  /** After how many nanoseconds the next thread that waits for something is interrupted. */
  var interruptAfter: Long = Long.MaxValue

  /**
   * Another thread, as which the current event acts, waits for that. Everything else goes on meanwhile, until it is so: of
   * several that wait, the last goes on first, as the scheduler of a system may have it.
   */
  def block(done: CountDownLatch): Unit = {
    val patience = math.min(interruptAfter, World.ThreadPatience)
    interruptAfter = Long.MaxValue
    if (!run(patience)(done.getCount == 0)) {
      if (patience == World.ThreadPatience) found("a thread has waited in vain")
      throw new InterruptedException("in the simulation")
    }
  }

  /** Ends the injection of faults. */
  def stopFaults(): Unit = {
    trace.say(this, "no more faults")
    faults = FaultRates.none
  }

  /** Adds a loop whose thread would start now. */
  def begin(loop: PlatformLoop, poller: () => SimulatedPoller): Unit = {
    val life = new RunningLoop(loop, poller)
    running += life
    trace.say(this, s"loop ${loop.index} begins")
    life.rest(enter = true)
  }

  def wakeUp(loop: PlatformLoop): Unit = {
    val life = running.find(_.loop eq loop)
    life.foreach(_.woken = true)
  }

  /** The number of loops that have not ended. */
  def loopsAlive: Int = running.size

  /**
   * Without clients and after all timeouts: nothing is held or waited for.
   *
   * @param kept timers that a server keeps on its first loop as long as it runs
   */
  def checkIdle(kept: Int = 0): Unit = running.foreach { life =>
    val loop = life.loop
    if (loop.memory.held != 0) found(s"loop ${loop.index} still counts ${loop.memory.held} bytes as held")
    val isOwn = loop.index == 0 && loop.timersSet == kept
    if (loop.timersSet != 0 && !isOwn) found(s"loop ${loop.index} still has ${loop.timersSet} timers")
  }

  /** Not more is held than the bound and `slack` bytes. */
  private[world] def checkMemory(loop: PlatformLoop, slack: Long): Unit = {
    val memory = loop.memory
    if (memory.held < 0) found(s"loop ${loop.index} counts ${memory.held} bytes as held")
    else if (memory.held - slack > memory.bound)
      found(s"loop ${loop.index} holds ${memory.held} bytes, more than ${memory.bound}")
  }

  /**
   * Runs until `done`, or nothing can run, or that much virtual time has passed, or that many steps within ten virtual
   * seconds, which a client that sends each byte by itself does not need. Returns false unless `done`.
   */
  def run(nanos: Long, steps: Int = 300000)(done: => Boolean): Boolean = {
    val end   = time + nanos
    var until = time + World.StepsNanos
    var left  = steps
    var over  = done
    while (!over && left > 0 && time < end && step(end)) {
      left -= 1
      if (time >= until) {
        until = time + World.StepsNanos
        left = steps
      }
      over = done
    }
    if (left == 0) found(s"still busy after $steps steps: something spins")
    over
  }

  /** Runs for that much virtual time. */
  def pass(nanos: Long): Unit = { run(nanos)(false); () }

  /**
   * Whether what is due happens before any loop has a turn. Otherwise a busy loop holds up its clients, too, so that hardly
   * more arrives than it can do.
   */
  var eventsFirst = false

  /** Runs one turn. Returns false if nothing will ever run again. */
  private def step(end: Long): Boolean = {
    var ready = 0
    var i     = 0
    while (i < running.size) {
      val life = running(i)
      if (life.isReady) {
        if (ready == candidates.length) candidates = java.util.Arrays.copyOf(candidates, 2 * ready)
        candidates(ready) = life
        ready += 1
      }
      i += 1
    }
    val due = events.nextAt <= time
    if (ready > 0 || due) {
      val chosen = if (due && eventsFirst) ready else random.below(ready + (if (due) 1 else 0))
      if (chosen == ready) events.take().apply() else candidates(chosen).turn()
      true
    } else {
      var next = events.nextAt
      running.foreach(life => next = math.min(next, life.nextAt))
      if (next == Long.MaxValue) {
        time = end
        false
      } else {
        time = math.min(math.max(time, next), math.max(time, end))
        true
      }
    }
  }
  private var candidates = new Array[RunningLoop](8)

  /** A loop that the simulation drives turn by turn, instead of a thread. */
  private final class RunningLoop(val loop: PlatformLoop, poller: () => SimulatedPoller) {
    var woken         = false
    private var until = 0L // when the wait ends by itself; Long.MaxValue: never
    private var idle  = 0L // until then its thread does not get to run
    private var told  = 0  // what the loop returned for its wait
    var worked        = 0L // its processor time
    var waited        = 0L // how often it has waited in a turn
    var delayed       = 0L // for how long it could not run in one
    var isEnding      = false

    /** Where a fatal error was thrown in this turn, which must end the loop; null if none was. */
    var dueToEnd: String = null

    def isReady: Boolean = time >= idle && (woken || time >= until || poller().hasReady)

    /** The next time at which it could become ready by itself. */
    def nextAt: Long = {
      val soonest = if (woken || poller().hasReady) 0L else until
      if (soonest == Long.MaxValue) soonest else math.max(soonest, idle)
    }

    def rest(enter: Boolean): Unit = {
      if (enter) this.enter()
      try {
        told = loop.beforeWait()
        until = if (told < 0) Long.MaxValue else time + told * 1000000L
      } finally if (enter) leave()
    }

    private def enter(): Unit = {
      current = this
      loop.enter()
    }

    private def leave(): Unit = {
      loop.leave()
      current = null
    }

    /** Its thread does not get to run before that time; then it does what it was woken for. */
    private def delay(to: Long): Unit = {
      trace.say(World.this, s"loop ${loop.index} gets no processor for ${(to - time) / 1000} us")
      idle = to
      woken = true
    }

    def turn(): Unit = {
      woken = false
      val left = neighbour.leavesAt(time)
      if (random.perMille(faults.stalls)) {
        delay(time + World.pause(random))
      } else if (left > time) delay(left)
      else {
        enter()
        try
          if (loop.isStopping) end()
          else {
            trace.say(World.this, s"turn of loop ${loop.index}")
            loop.goOn(told)
            if (loop.isStopping) end()
            else {
              checkMemory(loop, slack = 0)
              rest(enter = false)
              if (dueToEnd != null)
                found(s"loop ${loop.index} goes on after a fatal error, which was thrown at $dueToEnd")
              dueToEnd = null
            }
          }
        catch {
          case e: Throwable =>
            failedLoops += loop
            trace.say(World.this, s"loop ${loop.index} ends: $e")
            loop.fatal(e)
            try end()
            catch {
              case e: VirtualMachineError => trace.say(World.this, s"and its end is disturbed: $e")
            }
        } finally leave()
      }
    }

    private def end(): Unit = {
      trace.say(World.this, s"loop ${loop.index} has ended")
      running -= this
      isEnding = true
      loop.end()
    }
  }
}

object World {
  private final val StepsNanos = 10L * 1000 * 1000 * 1000

  /** For how long a thread waits for anything that must come to its end. */
  private final val ThreadPatience = 200L * 1000 * 1000 * 1000

  private val Delays = Seq(1000L, 1000000L, 50000000L, 2000000000L)

  /** How long a stall lasts: 1 ms to 2 s. */
  def pause(random: SeededRandom): Long =
    random.longBetween(1000000L, random.pick(Seq(5000000L, 100000000L, 2000000000L)))
}

/** What happens at a time, in order; what is due at the same time, in the order of being added. */
private final class EventQueue {
  private final class Event(val at: Long, val order: Long, val action: () => Unit)

  private val queue = new java.util.PriorityQueue[Event](
    64,
    (a: Event, b: Event) =>
      if (a.at != b.at) java.lang.Long.compare(a.at, b.at) else java.lang.Long.compare(a.order, b.order)
  )
  private var added = 0L

  def add(at: Long, action: () => Unit): Unit = {
    added += 1
    queue.add(new Event(at, added, action))
    ()
  }
  def nextAt: Long       = if (queue.isEmpty) Long.MaxValue else queue.peek().at
  def take(): () => Unit = queue.poll().action
}
