package needletail.io.loop

import java.io.{ByteArrayOutputStream, PrintStream}
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.io.{EventLoop, EventLoops}
import needletail.testing.Suite

class FailureLogSuite extends Suite {

  private final class Mute extends RuntimeException {
    override def toString: String              = throw new IllegalStateException("not now")
    override def getCause: Throwable           = throw new IllegalStateException("nor that")
    override def fillInStackTrace(): Throwable = this
  }

  private def told(text: String, cause: Throwable): String = synchronized {
    val before = System.err
    val out    = new ByteArrayOutputStream
    System.setErr(new PrintStream(out, true))
    try FailureLog.toStandardError(text, cause)
    finally System.setErr(before)
    out.toString
  }

  test("an exception and what has caused it are told, with where they were thrown") {
    val said = told("a task failed", new RuntimeException("outer", new IllegalStateException("inner")))
    assert(said.startsWith("needletail: a task failed: java.lang.RuntimeException: outer\n"), said)
    assert(said.contains("caused by: java.lang.IllegalStateException: inner"), said)
    assert(said.contains("FailureLogSuite"), said)
  }

  test("one that throws when it is asked what it is, is told all the same") {
    val said = told("a task failed", new Mute)
    assert(
      said.startsWith(s"needletail: a task failed: ${classOf[Mute].getName}, whose toString throws"),
      said
    )
  }

  test("the text of an exception, which a client may have chosen, forges no entry") {
    val text = "For input: x\r\nneedletail: the loop ends\u001b[2K\u009b1A\tz"
    val said = told("a task failed", new NumberFormatException(text))
    assert(!said.contains("\nneedletail"), said)
    assert(!said.exists(c => c < ' ' && c != '\n' && c != '\t' || c >= 127 && c < 160), said)
    assert(said.contains("For input: x\n    needletail: the loop ends?[2K?1A\tz\n"), said)
  }

  test("a stack trace is shown from its top, up to a bound") {
    def lines(frames: Int) = {
      val cause = new StackOverflowError("deep")
      cause.setStackTrace(Array.tabulate(frames)(i =>
        new StackTraceElement("shop.Work", s"step$i", "Work", i)
      ))
      told("a handler failed", cause).trim.split('\n').toList
    }
    assertEquals(lines(200).size, 201)
    assert(lines(200).last.contains("step199"), lines(200).last)
    assertEquals(lines(5000).size, 202)
    assert(lines(5000)(1).contains("step0"), lines(5000)(1))
    assertEquals(lines(5000).last.trim, "and 4800 more")
  }

  test("an exception that is its own indirect cause is reported once") {
    val one   = new RuntimeException("one")
    val other = new RuntimeException("other", one)
    one.initCause(other)
    assertEquals(told("a task failed", one).split("caused by").length, 8)
  }

  test("a log that fails by a fatal error ends the loop that reports to it, and does not disturb its end") {
    val before = EventLoop.onFailure
    EventLoop.onFailure = (_, _) => ()
    try {
      val calls = new AtomicInteger
      val loops = new EventLoops(
        1,
        "log",
        daemon = true,
        onFailure = (_, _) => {
          calls.incrementAndGet()
          throw new OutOfMemoryError("for a test")
        }
      )
      val last = new AtomicInteger
      loops(0).execute { () =>
        for (_ <- 1 to 3) loops(0).atEnd { () =>
          last.incrementAndGet()
          throw new IllegalStateException("the end")
        }
        throw new IllegalStateException("not fatal")
      }
      Await.result(loops.stopped, 20.seconds)
      assertEquals((calls.get, last.get), (5, 3))
    } finally EventLoop.onFailure = before
  }
}
