package needletail.io.system

import java.nio.charset.StandardCharsets.US_ASCII
import java.nio.file.{Files, Path}

import scala.concurrent.duration._

import needletail.io.LoopSuite
import needletail.testing.Pause

/** For how long a thread has wanted to run while others did, as Linux says. */
class ThreadDelaySuite extends LoopSuite {
  private val isKnown = Files.exists(Path.of("/proc/thread-self/schedstat"))

  private def onThread[A](body: => A): A = {
    var result = Option.empty[Either[Throwable, A]]
    val thread = new Thread(() =>
      result = Some(
        try Right(body)
        catch { case e: Throwable => Left(e) }
        finally ThreadDelay.close()
      )
    )
    thread.start()
    thread.join()
    result.get.fold(e => throw e, identity)
  }

  /** How long the thread has neither run nor wanted to while `work` took its time. */
  private def waited(work: => Unit): FiniteDuration = {
    def idle   = System.nanoTime - ProcessorTime.ofThisThread - SystemPlatform.delayNanos()
    val before = idle
    work
    (idle - before).nanos
  }

  private def compute(time: FiniteDuration): Unit = {
    val end = System.nanoTime + time.toNanos
    while (System.nanoTime - end < 0) ()
  }

  test("time is told apart in which a thread waits, and in which it is interrupted") {
    assume(isKnown, "needs Linux")
    eventually(ProcessorTime.ofThisThread >= 0)
    // twice as many as there are processors compute, so that each is interrupted for half of the time
    @volatile var isOver = false
    val others = Seq.fill(2 * Runtime.getRuntime.availableProcessors)(new Thread(() => while (!isOver) ()))
    try {
      others.foreach(_.start())
      onThread {
        eventually( // not always: the garbage collector is waited for
          waited(compute(200.millis)) < 20.millis
        )
        val slept = waited(Pause(200.millis))
        assert(slept >= 180.millis, slept)
      }
    } finally {
      isOver = true
      others.foreach(_.join())
    }
  }

  test("each thread is told of itself, and what a loop has open is closed with it") {
    assume(isKnown, "needs Linux")
    onThread {
      assert(SystemPlatform.delayNanos() >= 0)
      ThreadDelay.close()
      ThreadDelay.close()
      assert(SystemPlatform.delayNanos() >= 0, "opened again")
      ThreadDelay.close()
    }
    var loopFile = Option.empty[Path]
    withLoop { loop =>
      on(loop) {
        assert(loop.platform.delayNanos() >= 0)
        loopFile = Some(Path.of("/proc/thread-self").toRealPath().resolve("schedstat"))
      }
      assert(loopFile.exists(open.contains), s"it is not open: $loopFile of $open")
    }
    eventually(!loopFile.exists(open.contains), open)
  }

  /** What the process has open of this kind. */
  private def open: List[Path] = {
    val all = Files.list(Path.of("/proc/self/fd"))
    try all.toArray.toList.map(_.asInstanceOf[Path]).flatMap(target).filter(_.toString.endsWith("/schedstat"))
    finally all.close()
  }

  private def target(link: Path): Option[Path] =
    try Some(Files.readSymbolicLink(link))
    catch { case _: java.io.IOException => None } // closed meanwhile

  test("no number is made up") {
    def delay(text: String) = ThreadDelay.delayIn(text.getBytes(US_ASCII), text.length)
    assertEquals(delay("529766621 1798921200 711\n"), 1798921200L)
    assertEquals(delay("529766621 0 711\n"), 0L)
    for (text <- Seq("0 0 0\n", "0 5 1\n", "", "12", "12 ", "12 34", "x 1 2\n", "1 x 2\n", "1  2\n"))
      assertEquals(delay(text), -1L, text)
    assertEquals(ThreadDelay.delayIn(new Array[Byte](10), -1), -1L) // the thread has ended
    assertEquals(new ThreadDelay.Schedstat(null).delay, -1L)
  }
}
