package needletail.bench

import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations.*

import needletail.http.{Reply, Request}
import needletail.routing.*

/**
 * Finding a route among 10 and among 1,000, which must take at most twice the time. A literal route must allocate
 * nothing; one with values allocates these only.
 */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
class RoutingBenchmark {
  @Param(Array("10", "1000"))
  var routes: Int = 10

  private var compiled: Routes = null
  private val number           = 3 // of the requested service: one that exists in both sizes
  private val literal          = Request.get(s"/service$number/status")
  private val typed            = Request.get(s"/service$number/users/4711/orders?page=3")
  private val unknown          = Request.get(s"/service$number/nowhere")

  @Setup
  def compile(): Unit = {
    val answer = "fine".ok
    val other  = "fine, too".ok
    // Half of them literal, half with two values, as many names at the first place as there are pairs
    val all = (0 until routes / 2).flatMap { i =>
      val name = s"service$i"
      List[Routes](
        GET / name / "status" to answer,
        GET / name / "users" / arg[Long] / "orders" + ?("page", arg[Int]) to { case (user, page) =>
          if (user > page) answer else other
        }
      )
    }
    compiled = Routes(all*)
  }

  @Benchmark
  def literalRoute(): Reply = compiled(literal)

  @Benchmark
  def routeWithValues(): Reply = compiled(typed)

  @Benchmark
  def notFound(): Reply = compiled(unknown)
}
