package needletail.load.report.text

import java.io.{OutputStream, PrintStream}
import java.util.Locale

import needletail.load.analysis.verdict.{Metric, Quantity}
import needletail.load.result.{Figures, Interval}

/**
 * Shows the progress of a run: in place on a terminal, otherwise line by line, with lines becoming rarer as the run
 * grows long. Used by one thread.
 *
 * @param label what is running
 * @param expectedMillis how long it will take; 0 if not known
 * @param expectedRequests how many there will be; 0 if not known
 */
private[load] final class Progress(
    terminal: Terminal,
    label: String,
    expectedMillis: Long,
    expectedRequests: Long
) {
  private var sinceLine = new Figures
  private var millis    = 0L // of `sinceLine`
  private var requests  = 0L

  def see(interval: Interval): Unit = {
    val figures = interval.total
    requests += figures.requests
    sinceLine.add(figures)
    millis += interval.lengthMillis
    val now = interval.startMillis + interval.lengthMillis
    if (terminal.live) terminal.replace(bar(now), s"  ${text(figures, interval.lengthMillis, interval)}")
    else if (
      interval.lengthMillis >= Progress.Whole && (now < 10500 || now / 10000 > (now - millis) / 10000)
    ) {
      val time = String.format(Locale.ROOT, "%6.1f s", Double.box(now / 1000.0))
      terminal.say(s"$label $time  ${text(sinceLine, millis, interval)}")
      sinceLine = new Figures
      millis = 0
    }
  }

  /** Removes the bar. */
  def end(): Unit = if (terminal.live) terminal.clear()

  private def text(figures: Figures, millis: Long, interval: Interval): String = {
    def time(metric: Metric) = Quantity.of(metric, Metric.of(figures, metric))
    val rate                 = if (millis == 0) 0 else figures.good * 1000.0 / millis
    s"${Quantity.rate(rate)}  p50 ${time(Metric.Percentile(50))}  p99 ${time(Metric.Percentile(99))}  " +
      s"max ${time(Metric.Max)}  errors ${Quantity.of(Metric.Errors, Metric.of(figures, Metric.Errors))}  users ${math.max(interval.self.users, interval.self.mostUsers)}"
  }

  private def bar(now: Long): String = {
    val done =
      if (expectedMillis > 0) now.toDouble / expectedMillis
      else if (expectedRequests > 0) requests.toDouble / expectedRequests
      else 0
    val share = math.max(0, math.min(1, done))
    val left  =
      if (share <= 0) ""
      else s"${clock(math.round(now * (1 - share) / share))} left"
    val full = (share * Progress.Width).toInt
    s"$label [${"#" * full}${"-" * (Progress.Width - full)}] ${(share * 100).toInt} %  $left"
  }

  private def clock(millis: Long): String = {
    val seconds           = (millis + 999) / 1000
    def two(number: Long) = if (number < 10) s"0$number" else number.toString
    if (seconds < 3600) s"${seconds / 60}:${two(seconds % 60)}"
    else s"${seconds / 3600}:${two(seconds / 60 % 60)}:${two(seconds % 60)}"
  }
}

private[load] object Progress {
  final val Width = 30

  /** Milliseconds; a shorter interval is the rest after the last second, and gets no line of its own. */
  final val Whole = 500

  /** Formats each interval as a run does, in both forms, and writes it to `shown`: for the warm-up. */
  def rehearsal(shown: OutputStream = OutputStream.nullOutputStream()): Interval => Unit = {
    val nobody = new PrintStream(shown)
    val both   =
      Vector(true, false).map(live => new Progress(new Terminal(nobody, nobody, live, 80), "", 3600000, 0))
    var seconds = 0L
    interval => {
      both.foreach(_.see(interval.copy(startMillis = seconds * 1000, lengthMillis = 1000)))
      seconds += 1
    }
  }
}
