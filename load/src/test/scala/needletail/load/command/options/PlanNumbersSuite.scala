package needletail.load.command.options

import scala.concurrent.duration._

import needletail.load.analysis.Plans
import needletail.load.plan.{Load, LoadPlan, UserShares}
import needletail.testing.Suite

class PlanNumbersSuite extends Suite {
  test("users of several kinds, and their requests, may be more than an Int holds") {
    val own  = Vector.fill(2)(Plans.request.copy(users = Some(Int.MaxValue)))
    val load = Load.Closed(1000, Some(3), None, Duration.Zero)
    assertEquals(UserShares.of(own :+ Plans.request, load), Vector(Int.MaxValue, Int.MaxValue, 0))
    assertEquals(PlanFromOptions.expected(LoadPlan("x", own, load)), (0L, 3L * 2 * Int.MaxValue))
    assertEquals(PlanFromOptions.expected(LoadPlan("x", Vector(Plans.request), load)), (0L, 3000L))
  }
}
