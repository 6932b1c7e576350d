package needletail.load.analysis

import scala.concurrent.duration._

import needletail.load.plan.{Kind, Load, LoadPlan, RequestTemplate}

/** Plans of one request, for tests. */
object Plans {
  val request: Kind = Kind("page", Vector(RequestTemplate("GET", "http://127.0.0.1:1/")))

  def closed(users: Int, duration: FiniteDuration): LoadPlan =
    LoadPlan("closed", Vector(request), Load.Closed(users, None, Some(duration)))

  def closed(users: Int, requests: Option[Int]): LoadPlan =
    LoadPlan("closed", Vector(request), Load.Closed(users, requests, None))

  def open(rate: Double, duration: FiniteDuration, connections: Int = 1000): LoadPlan =
    LoadPlan(
      "open",
      Vector(request),
      Load.Open(Vector(Load.Step(rate, rate, duration)), connections = connections)
    )
}
