package needletail.testing

import scala.concurrent.Future
import scala.concurrent.duration.{Duration, DurationInt}

class RunnerSuite extends Suite {

  // Suites within a method, so that the build does not find them and run them on their own.
  private def outcome(make: () => Suite): (Runner.Counts, String) = {
    val text   = new StringBuilder
    val counts = new Runner(part => { val _ = text ++= part }).run(List(Runner.Entry("Inner", make)))
    (counts, text.toString)
  }

  test("counts what passed, failed and was skipped, and names the failures with file and line") {
    class Mixed extends Suite {
      override def munitTimeout: Duration = 2.seconds
      test("holds")(assertEquals(1, 1))
      test("differs")(assertEquals(1, 2))
      test("throws")(throw new IllegalStateException("closed"))
      test("assumes")(assume(condition = false, "no such device"))
      test("ignored".ignore)(fail("must not run"))
      test("hangs")(Pause(1.minute))
      test("is not awaited")(new needletail.async.Later)
      test("fails later")(Future.failed(new IllegalStateException("later")))
    }
    val (counts, text) = outcome(() => new Mixed)
    assertEquals(counts, Runner.Counts(passed = 1, failed = 5, skipped = 2))
    assertEquals(counts.toString, "1 passed, 5 failed, 2 skipped")
    List(
      "RunnerSuite.scala:",
      "closed",
      "no such device",
      "not over after 2 seconds",
      "is not awaited",
      "Inner: hangs"
    )
      .foreach(part => assert(text.contains(part), text))
  }

  test("counts every test as failed when the suite could not be prepared") {
    class Unprepared extends Suite {
      override def beforeAll(): Unit = throw new IllegalStateException("no port")
      test("one")(())
      test("two")(())
    }
    assertEquals(outcome(() => new Unprepared)._1, Runner.Counts(passed = 0, failed = 3, skipped = 0))
  }

  test("counts a suite that cannot be made, or cleaned up after, as a failure") {
    class Unmade extends Suite {
      assertEquals("the constructor", "fails")
    }
    class Unclean extends Suite {
      override def afterAll(): Unit = throw new IllegalStateException("port still open")
      test("one")(())
    }
    assertEquals(outcome(() => new Unmade)._1, Runner.Counts(passed = 0, failed = 1, skipped = 0))
    assertEquals(outcome(() => new Unclean)._1, Runner.Counts(passed = 1, failed = 1, skipped = 0))
  }

  test("runs afterEach after a test that failed, and after its Future") {
    val events = new StringBuffer
    class Ordered extends Suite {
      override def afterEach(context: AfterEach): Unit = {
        val _ = events.append(s"after ${context.test.name};")
      }
      test("a")(fail("on purpose"))
      test("b")(Future { Pause(30.millis); events.append("b;") }(scala.concurrent.ExecutionContext.global))
    }
    assertEquals(outcome(() => new Ordered)._1.passed, 1)
    assertEquals(events.toString, "after a;b;after b;")
  }
}
