package needletail.server.operations

import needletail.testing.Suite

/** A thread as Linux shows it, with the times in our hands. */
class ProcessorWaitSuite extends Suite {
  private final class Watched {
    private var now                   = 0L // milliseconds, as the others
    private var running, ended, going = 0L // Linux counts a wait when it has ended
    private var state                 = "S"
    private var slept                 = 0

    val waits = new ProcessorWait(
      _.run(),
      {
        case "/proc/thread-self/stat"      => s"7 (a) b) $state 1 7"
        case "/proc/self/task/7/stat"      => s"7 (a) b) $state 1 7"
        case "/proc/self/task/7/schedstat" => s"${running * 1000000} ${ended * 1000000} 5"
        case "/proc/self/task/7/status"    =>
          s"Name:\tb\nvoluntary_ctxt_switches:\t$slept\nnonvoluntary_ctxt_switches:\t3"
        case _ => ""
      },
      () => now * 1000000
    )
    waits.nanos(0) // finds the thread

    def runs(millis: Long): this.type = {
      ended += going
      going = 0
      passes(millis, "R")
      running += millis
      this
    }
    def waitsFor(millis: Long): this.type = {
      going += millis
      passes(millis, "R")
    }
    def sleeps(millis: Long): this.type = {
      slept += 1
      passes(millis, "S")
    }

    private def passes(millis: Long, in: String): this.type = {
      now += millis
      state = in
      this
    }

    /** What is known of a turn that began then. */
    def seen(since: Long = 0): Long = waits.nanos(since * 1000000) / 1000000
  }

  test("a wait that is going on counts, and once when it has ended") {
    val thread = new Watched
    assertEquals(thread.runs(30).seen(), 0L)
    assertEquals(thread.waitsFor(50).seen(), 50L)
    assertEquals(thread.waitsFor(50).seen(), 100L)
    assertEquals(thread.waitsFor(20).runs(30).seen(), 120L)
    assertEquals(thread.runs(10).waitsFor(40).seen(), 160L)
  }

  test("a thread that runs, and one that is blocked, do not wait") {
    val thread = new Watched
    assertEquals(thread.runs(30).seen(), 0L)
    assertEquals(thread.runs(50).seen(), 0L)
    assertEquals(thread.sleeps(50).seen(), 0L)
    assertEquals(thread.sleeps(50).seen(), 0L)
  }

  test("a thread that was blocked and runs again has not waited meanwhile") {
    val thread = new Watched
    assertEquals(thread.runs(10).seen(), 0L)
    assertEquals(thread.sleeps(40).runs(5).seen(), 0L)
    assertEquals(thread.sleeps(45).runs(5).seen(), 0L)
    assertEquals(thread.runs(10).waitsFor(40).seen(), 40L)
  }

  test("what was before the turn is no part of its wait") {
    val thread = new Watched
    assertEquals(thread.runs(10).seen(), 0L)
    assertEquals(thread.sleeps(1000).waitsFor(30).seen(since = 1010), 0L)
    assertEquals(thread.waitsFor(50).seen(since = 1010), 50L)
  }

  test("a thread that is not there is not known") {
    val waits = new ProcessorWait(_.run(), _ => "", () => 0)
    assertEquals(List.fill(2)(waits.nanos(0)), List(-1L, -1L))
  }
}
