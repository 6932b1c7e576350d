package needletail.load.command

import scala.concurrent.duration.FiniteDuration

import needletail.load.analysis.{Hopeless, Measurement}
import needletail.load.plan.LoadPlan
import needletail.load.report.{Progress, Terminal, TextReport}
import needletail.load.result.{Figures, Interval}

/** What a command works with: load, and someone to tell. */
private[command] final class Session(
    val generator: Generator,
    val terminal: Terminal,
    val interruption: Interruption
) {

  private val started = System.nanoTime()

  /** Since the command began. */
  def seconds: Double = (System.nanoTime() - started) / 1e9

  def interrupted: Boolean = interruption.happened

  /** Says what this machine does not allow; the reason, where the plan cannot be run at all. */
  def preflight(plan: LoadPlan): Either[String, Unit] = generator.mistake(plan) match {
    case Some(mistake) => Left(mistake)
    case None          => Right(TextReport.machine(generator.preflight(plan)).foreach(terminal.say))
  }

  /**
   * Runs a plan, with progress shown.
   *
   * @param enough
   *   asked after each second whether it can be left at that
   */
  def measure(
      plan: LoadPlan,
      label: String,
      pause: Option[FiniteDuration],
      enough: Interval => Boolean = _ => false
  ): Measurement = {
    val (millis, requests) = Planning.expected(plan)
    val progress           = new Progress(terminal, label, millis, requests)
    val soFar              = new Figures
    var seconds            = 0
    if (terminal.live) terminal.replace(s"$label: getting ready") // which takes the first run some seconds
    val result =
      try
        generator.run(
          plan,
          interval => {
            progress.see(interval)
            soFar.add(interval.total)
            seconds += 1
            !interrupted && !Hopeless.already(soFar, seconds) && !enough(interval)
          }
        )
      finally progress.end()
    new Measurement(label, result, pause)
  }
}

private[command] object Session {

  /** As files name their writer. */
  val Tool: String = "needletail-load " + CommandLine.version
}
