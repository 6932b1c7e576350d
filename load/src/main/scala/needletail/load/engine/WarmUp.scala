package needletail.load.engine

import java.io.IOException
import java.lang.management.ManagementFactory
import java.util.concurrent.atomic.AtomicBoolean

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.io._
import needletail.load.engine.machine.SelfProbe
import needletail.load.plan._

/**
 * Warms up the virtual machine, once in a process: it is slow at first, as it loads classes and compiles code, and
 * that must not count as the server's slowness. The load goes to a built-in server, so that the measured server gets
 * no requests.
 */
private[engine] object WarmUp {
  private val isDone = new AtomicBoolean

  /** The length of an interval, instead of a second: the code at the end of a second has to be warmed up too. */
  final val IntervalNanos = 10L * 1000 * 1000

  /**
   * Runs plans of both models against a server that this starts, if this is the first call in the process.
   *
   * @param atMost   how long it may take
   * @param isOver   whether to end it early
   * @param isSecure whether over TLS, with full handshakes and resumed ones
   */
  def once(
      atMost: FiniteDuration,
      isOver: () => Boolean,
      isSecure: Boolean = false
  )(run: LoadPlan => Unit): Unit =
    if (isDone.compareAndSet(false, true)) {
      val loops = new EventLoops(1, "needletail-load-warm-up", daemon = true)
      try {
        // Without a free port there is no warm-up; the run will report that there is none.
        val listener =
          try WarmUpServer.listen(loops(0), isSecure)
          catch { case _: IOException => return }
        listener.address match {
          case Address.Tcp(_, port) =>
            val scheme   = if (isSecure) "https" else "http"
            val both     = plans(s"$scheme://127.0.0.1:$port/", isSecure)
            val deadline = System.nanoTime() + atMost.toNanos
            untilSettled(() => isOver() || System.nanoTime() >= deadline, () => compiling) { () =>
              both.foreach(plan => if (!isOver() && System.nanoTime() < deadline) run(plan))
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
   * Repeats rounds until several in a row have left the compiler almost nothing to do, or time is up: much compiled
   * code is discarded when code is reached that had not been used before, such as that of a run's beginning and end.
   */
  def untilSettled(isUp: () => Boolean, compiling: () => Long)(round: () => Unit): Unit = {
    var quiet = 0
    while (!isUp() && quiet < QuietRounds) {
      val before = compiling()
      round()
      quiet = if (compiling() - before <= LittleMillis) quiet + 1 else 0
    }
  }

  /** The time that the compiler's threads have worked so far, in milliseconds; 0 if unknown. */
  private def compiling: Long = Option(ManagementFactory.getCompilationMXBean)
    .filter(_.isCompilationTimeMonitoringSupported)
    .fold(0L)(_.getTotalCompilationTime)

  /**
   * Waits until the compiler has finished the work caused by a round, which on one core takes longer than the load
   * itself, as nothing else of this process uses the processor meanwhile.
   */
  private def rest(deadline: Long): Unit = {
    var idle = false
    while (!idle && System.nanoTime() < deadline) {
      val (cpu, at) = (SelfProbe.processTime, System.nanoTime())
      Thread.sleep(RestMillis)
      idle = (SelfProbe.processTime - cpu).toDouble / (System.nanoTime() - at) < Idle
    }
  }

  /** Both models; kinds of one request and of several with all features; persistent connections and others. */
  private def plans(url: String, isSecure: Boolean): Vector[LoadPlan] = {
    val plain = Kind("plain", Vector(RequestTemplate("GET", url)))
    val form  = RequestTemplate(
      "POST",
      url + "search?word=${word}",
      headers = Vector("Accept" -> "*/*", "X-Word" -> "${word}"),
      body = Some("word=${word}"),
      checks = Vector(Check.BodyContains(WarmUpServer.Word)),
      extractions = Vector(Extraction("word", None, s"(${WarmUpServer.Word})")),
      feeders = Vector(Feeder(Vector("word"), Vector(Vector("needle"), Vector("tail")), random = false))
    )
    val session = Kind("session", Vector(form, RequestTemplate("GET", url + "${word}")), weight = 0.2)
    def plan(kinds: Vector[Kind], load: Load) =
      LoadPlan(
        "warm-up",
        kinds,
        load,
        timeout = 1.second,
        trust = if (isSecure) Trust.Anybody else Trust.System
      )
    def arrivals(chance: Boolean) = Load.Open(Vector(Load.Step(20000, 20000, Time)), chance, connections = 64)
    val handshakes                =
      plan(Vector(plain), Load.Closed(4, Some(20), None)).copy(keepAlive = false, resumesTls = false)
    (if (isSecure) Vector(handshakes) else Vector.empty) ++ Vector(
      plan(
        Vector(plain, session),
        Load.Closed(8, None, Some(Time))
      ).copy(timeout = 100.millis), // so that its timers become due
      plan(Vector(plain), Load.Closed(4, Some(20), None)).copy(keepAlive = false),
      plan(Vector(plain, session), arrivals(chance = true)).copy(pipelining = 4),
      plan(Vector(plain), arrivals(chance = false))
    )
  }

  /** The duration of one model in one round. */
  private val Time = 250.millis

  /** A single quiet round may be between two stages of the compiler. */
  final val QuietRounds = 3

  /** The compiler's work in a round when it is done; some 50 to 90 ms remain in any round. */
  final val LittleMillis = 100L

  private final val RestMillis = 40L

  /** The share of a core that an idle process uses, and a little more. */
  private final val Idle = 0.05
}
