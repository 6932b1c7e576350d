package needletail.routing

import java.lang.management.ManagementFactory

import com.sun.management.ThreadMXBean

import needletail.http.{Reply, Request}

/** What a look-up allocates, as the virtual machine counts it for the thread. */
class AllocationSuite extends needletail.testing.Suite {
  private val threads = ManagementFactory.getThreadMXBean.asInstanceOf[ThreadMXBean]

  /** Where replies go, so that no call is dropped as useless. */
  private var sink: Reply = null

  /** Octets allocated by each of many calls, in the mean, when the code is warm. */
  private def allocated(routes: Routes, request: Request): Double = {
    val calls                  = 20000
    def run(times: Int): Unit  = {
      var i = 0
      while (i < times) {
        sink = routes(request)
        i += 1
      }
    }
    run(calls)
    assert(sink != null)
    // The fewest of several runs: what the compiler's or the collector's threads do is not counted, but
    // deoptimisation may be
    (1 to 10).map { _ =>
      val before = threads.getCurrentThreadAllocatedBytes
      run(calls)
      (threads.getCurrentThreadAllocatedBytes - before).toDouble / calls
    }.min
  }

  private val hello  = "hello".ok
  private val routes = Routes((0 until 200).map(i => GET / "api" / s"resource$i" / "list" to hello)*) ++ Routes(
    GET / "api" / "typed" / arg[Int] / arg[String] + ?("q", arg[Int]) to { case (_, _, _) => hello },
    GET / "gr%&" / "x" to hello
  )

  test("matching a literal route allocates nothing") {
    assert(allocated(routes, Request.get("/api/resource99/list")) < 0.5)
  }

  test("nor does it where the path is percent-encoded, nor for HEAD") {
    assert(allocated(routes, Request.get("/gr%25%26/x")) < 0.5)
    assert(allocated(routes, Request.head("/api/resource99/list")) < 0.5)
  }

  test("a request that matches nothing allocates nothing either") {
    assert(allocated(routes, Request.get("/api/nothing")) < 0.5)
  }

  test("a typed route with three values allocates little more than those") {
    val octets = allocated(routes, Request.get("/api/typed/123456/name?q=654321"))
    assert(octets < 600, s"$octets octets")
  }
}
