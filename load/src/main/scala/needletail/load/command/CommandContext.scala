package needletail.load.command

import scala.concurrent.duration.FiniteDuration

import needletail.load.analysis.verdict.{Measurement, TotalFailure}
import needletail.load.command.options.{CommandLine, PlanFromOptions}
import needletail.load.plan.LoadPlan
import needletail.load.report.text.{Progress, Terminal, TextReport}
import needletail.load.result.{Figures, Interval}

/** What every command needs: a load generator, the terminal, and whether the user has interrupted it. */
private[command] final class CommandContext(
    val generator: LoadGenerator,
    val terminal: Terminal,
    val interruption: Interruption
) {

  private val started = System.nanoTime()

  /** Seconds since the command began. */
  def seconds: Double = (System.nanoTime() - started) / 1e9

  def interrupted: Boolean = interruption.happened

  /** Reports the interruption, before a report of incomplete results. */
  def sayInterrupted(command: String): Unit =
    if (interrupted)
      terminal.say(s"needletail-load $command: interrupted; these are the results so far")

  /** Warns about limits of this machine. Left is the reason why the plan cannot be run at all. */
  def preflight(plan: LoadPlan): Either[String, Unit] = generator.mistake(plan) match {
    case Some(mistake) => Left(mistake)
    case None          => Right(TextReport.machine(generator.preflight(plan)).foreach(terminal.say))
  }

  /**
   * Runs a plan and shows progress.
   *
   * @param enough called after each interval; returns whether to stop
   */
  def measure(
      plan: LoadPlan,
      label: String,
      pause: Option[FiniteDuration],
      enough: Interval => Boolean = _ => false
  ): Measurement = {
    val (millis, requests) = PlanFromOptions.expected(plan)
    val progress           = new Progress(terminal, label, millis, requests)
    val soFar              = new Figures
    if (terminal.live) terminal.replace(s"$label: getting ready") // the first run takes some seconds for that
    val result =
      try
        generator.run(
          plan,
          interval => {
            progress.see(interval)
            soFar.add(interval.total)
            val lasted = interval.startMillis + interval.lengthMillis
            !interrupted && !TotalFailure.already(soFar, lasted) && !enough(interval)
          }
        )
      finally progress.end()
    new Measurement(label, result, pause)
  }
}

private[command] object CommandContext {

  /** The name of this program in the files it writes. */
  val Tool: String = "needletail-load " + CommandLine.version
}
