package needletail.examples.demo

import needletail.examples.services.Fault
import needletail.json.Json
import needletail.routing._

/**
 * The switches of the demo: the number of customers, five times as many, and the search service's fault. From any
 * thread.
 */
final class DemoControls(fault: Fault, changed: Int => Unit) {
  private var customers = DemoControls.UsualCustomers
  private var times     = 1

  private def update(newCustomers: Option[Int], newTimes: Option[Int], down: Option[Boolean]): Unit =
    synchronized {
      newCustomers.foreach(n => customers = n)
      newTimes.foreach(n => times = n)
      down.foreach(fault.setDown)
      changed(customers * times)
    }

  def json: Json = synchronized {
    Json.obj("customers" -> customers, "times" -> times, "down" -> fault.isDown)
  }

  private def answer: Response = json.ok

  /** `GET /situation`, and `PUT /situation?customers=300&times=5&down=true` with any of these. */
  val routes: Routes = Routes(
    GET / "situation" to answer,
    PUT / "situation" + ?("customers", DemoControls.customers) + ?("times", DemoControls.times) +
      ?("down", arg[Option[Boolean]]) to { case (customers, times, down) =>
        update(customers, times, down)
        answer
      }
  )
}

object DemoControls {

  /** Of each kind. */
  final val UsualCustomers = 300
  final val MostCustomers  = 1000

  private val customers = arg[Option[Int]].filter(
    _.forall(n => n >= 0 && n <= MostCustomers),
    s"{NAME} must be 0 to $MostCustomers"
  )
  private val times = arg[Option[Int]].filter(_.forall(n => n == 1 || n == 5), "{NAME} must be 1 or 5")
}
