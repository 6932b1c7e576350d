package needletail.load.report.text

import java.io.{ByteArrayOutputStream, PrintStream}

import scala.concurrent.duration._

import needletail.load.analysis.{ModelDriver, ModelServer, Plans}
import needletail.load.result.{Figures, Interval}
import needletail.testing.{Language, Suite}

class ProgressSuite extends Suite {
  private def shown(live: Boolean, duration: FiniteDuration, expected: FiniteDuration): String = {
    val bytes    = new ByteArrayOutputStream
    val err      = new PrintStream(bytes, true, "UTF-8")
    val progress = new Progress(new Terminal(err, err, live, 60), "run", expected.toMillis, 0)
    new ModelDriver(ModelServer()).run(Plans.open(100, duration), i => { progress.see(i); true })
    progress.end()
    bytes.toString("UTF-8")
  }

  private def shown(live: Boolean, duration: FiniteDuration): String = shown(live, duration, duration)

  test("times are in the digits of the other figures, whatever the machine's language is") {
    for (language <- Seq("en-US", "de-DE", "ar-EG"))
      Language.of(language) {
        assert(shown(live = false, 4.seconds).contains("run    1.0 s  "), language)
        assert(shown(live = true, 4.seconds, expected = 70.seconds).contains("  1:06 left"), language)
        val rounded = shown(live = true, 4.seconds, expected = 70100.millis) // 66.1 s are left
        assert(rounded.contains("  1:07 left") && !rounded.contains("  1:06 left"), rounded)
        assert(shown(live = true, 4.seconds, expected = 2.hours).contains("  1:59:56 left"), language)
      }
  }

  test("on a terminal two lines are replaced in place, and taken away at the end") {
    val text = shown(live = true, 4.seconds)
    assert(text.contains("50 %  0:02 left"), text)
    assert(text.contains("100/s  p50 10"), text)
    assert(text.contains("\u001b[2A"), text)
    assert(text.endsWith("\u001b[2A\u001b[0J"), text)
    assert(text.split("\n").forall(_.replaceAll("\u001b\\[\\d*[A-Z]|\r", "").length < 60), text)
  }

  test("elsewhere there are plain lines, and fewer of them as time goes on") {
    val text = shown(live = false, 60.seconds)
    assert(!text.contains("\u001b") && !text.contains("\r"), text)
    val lines = text.split("\n")
    assert(lines.length >= 14 && lines.length <= 17, text)
    assert(lines.last.contains("60."), text)
  }

  test("users are those who were there at once in the second, not only at its end") {
    val bytes    = new ByteArrayOutputStream
    val err      = new PrintStream(bytes, true, "UTF-8")
    val progress = new Progress(new Terminal(err, err, false, 60), "run", 1000, 0)
    val self     = ModelDriver.self.copy(users = 0, mostUsers = 3)
    progress.see(Interval(0, 1000, Vector(new Figures), self))
    progress.see(Interval(
      1000,
      1000,
      Vector(new Figures),
      ModelDriver.self.copy(users = 7)
    )) // open: in flight
    assertEquals(
      bytes.toString("UTF-8").linesIterator.map(_.split("  ").last).toVector,
      Vector("users 3", "users 7")
    )
  }

  test("a rehearsal formats every interval in both forms, even an empty one") {
    val shown    = new ByteArrayOutputStream
    val rehearse = Progress.rehearsal(shown)
    var seconds  = 1
    new ModelDriver(ModelServer()).run(Plans.open(100, 20.seconds), i => { seconds += 1; rehearse(i); true })
    rehearse(needletail.load.result.Interval(0, 0, Vector.empty, ModelDriver.self))
    val lines = shown.toString("UTF-8").split("\n").toVector
    assertEquals(lines.count(_.contains(" left")), seconds) // the bar
    assert(lines.count(line => line.contains("p99") && !line.contains("\u001b")) >= 10, lines)
    assert(lines.last.contains("errors"), lines.last)
  }

  test("what comes from outside does not command the terminal") {
    assertEquals(Terminal.plain("a\u001b[2Jb\u009b\n"), "a?[2Jb??")
  }
}
