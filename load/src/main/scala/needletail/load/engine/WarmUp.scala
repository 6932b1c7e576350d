package needletail.load.engine

import java.lang.management.ManagementFactory
import java.util.concurrent.atomic.AtomicBoolean

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.io._
import needletail.load.plan._

/**
 * A virtual machine is slow at first: it loads classes and compiles what is used. What it makes of the first requests
 * is not the server's doing, so this has it done before, once in a process, on a server of its own that answers without
 * looking: the server to be measured is not asked a thing.
 */
private[engine] object WarmUp {
  private val isDone = new AtomicBoolean

  /** How long what stands for a second is: ends of seconds are to be warm as well. */
  final val IntervalNanos = 10L * 1000 * 1000

  /**
   * Runs plans of both models against a server that this starts, the first time it is called in a process.
   *
   * @param atMost
   *   how long it may take
   * @param isOver
   *   whether somebody wants to be done
   */
  def once(atMost: FiniteDuration, isOver: () => Boolean)(run: LoadPlan => Unit): Unit =
    if (isDone.compareAndSet(false, true)) {
      val loops = new EventLoops(1, "needletail-load-warm-up", daemon = true)
      try {
        val listener = Parrot.listen(loops(0))
        listener.address match {
          case Address.Tcp(_, port) =>
            val both     = plans(s"http://127.0.0.1:$port/")
            val deadline = System.nanoTime() + atMost.toNanos
            untilSettled(() => isOver() || System.nanoTime() >= deadline, () => compiling) { () =>
              both.foreach(run)
              rest(deadline)
            }
          case _ => ()
        }
        listener.close()
      } finally {
        loops.stop()
        Await.ready(loops.stopped, 5.seconds)
        ()
      }
    }

  /**
   * Rounds, until some in turn have left the compiler next to nothing to do, or time is up: much of what was compiled
   * is given up when code is come to that had not been used before, such as that of a run's begin and end.
   */
  def untilSettled(isUp: () => Boolean, compiling: () => Long)(round: () => Unit): Unit = {
    var quiet = 0
    while (!isUp() && quiet < QuietRounds) {
      val before = compiling()
      round()
      quiet = if (compiling() - before <= LittleMillis) quiet + 1 else 0
    }
  }

  /** What the compiler's threads have worked so far, in milliseconds; 0 where there is no compiler that tells. */
  private def compiling: Long = Option(ManagementFactory.getCompilationMXBean)
    .filter(_.isCompilationTimeMonitoringSupported)
    .fold(0L)(_.getTotalCompilationTime)

  /**
   * Until the compiler has done what a round left it to do, which on one core takes longer than the load itself:
   * nothing else of this process uses the processor meanwhile.
   */
  private def rest(deadline: Long): Unit = {
    var idle = false
    while (!idle && System.nanoTime() < deadline) {
      val (cpu, at) = (SelfProbe.processTime, System.nanoTime())
      Thread.sleep(RestMillis)
      idle = (SelfProbe.processTime - cpu).toDouble / (System.nanoTime() - at) < Idle
    }
  }

  /** Both models; kinds of one request and of several with all that goes with them; connections kept and not. */
  private def plans(url: String): Vector[LoadPlan] = {
    val plain = Kind("plain", Vector(RequestTemplate("GET", url)))
    val form  = RequestTemplate(
      "POST",
      url + "search?word=${word}",
      headers = Vector("Accept" -> "*/*", "X-Word" -> "${word}"),
      body = Some("word=${word}"),
      checks = Vector(Check.BodyContains(Parrot.Word)),
      draws = Vector(Draw("drawn", None, s"(${Parrot.Word})")),
      feeders = Vector(Feeder(Vector("word"), Vector(Vector("needle"), Vector("tail")), random = false))
    )
    val session = Kind("session", Vector(form, RequestTemplate("GET", url + "${drawn}")), weight = 0.2)
    def plan(kinds: Vector[Kind], load: Load) = LoadPlan("warm-up", kinds, load, timeout = 1.second)
    def arrivals(chance: Boolean) = Load.Open(Vector(Load.Step(20000, 20000, Time)), chance, connections = 64)
    Vector(
      plan(
        Vector(plain, session),
        Load.Closed(8, None, Some(Time))
      ).copy(timeout = 100.millis), // so that its timers come to be due
      plan(Vector(plain), Load.Closed(4, Some(20), None)).copy(keepAlive = false),
      plan(Vector(plain, session), arrivals(chance = true)).copy(pipelining = 4),
      plan(Vector(plain), arrivals(chance = false))
    )
  }

  /** Of one model in one round. */
  private val Time = 250.millis

  /** One alone may be between two stages of the compiler. */
  final val QuietRounds = 3

  /** What the compiler works in a round when it is done; some 50 to 90 ms are left, whatever the round. */
  final val LittleMillis = 100L

  private final val RestMillis = 40L

  /** The share of a core that a process takes in which nothing happens, and a little more. */
  private final val Idle = 0.05
}
