package needletail.examples.services

import scala.concurrent.duration._

import needletail.async.Async
import needletail.json.Json
import needletail.routing._

/**
 * What a service does for a request: it waits, as if for its disks, or, while it is down, waits for very long and then
 * fails.
 *
 * @param initially whether it is down when the program starts
 */
final class Fault(initially: Boolean = false) {
  @volatile private var down = initially

  def isDown: Boolean            = down
  def setDown(to: Boolean): Unit = down = to

  /** `answer` after the time that work takes; while it is down an error, long after that. */
  def apply(answer: => Response): Async[Response] =
    if (down) Async.sleep(Fault.Hanging).map(_ => Fault.broken)
    else Async.sleep(Fault.Work).map(_ => answer)

  /** `GET /fault` and `PUT /fault?down=true`: for administrators only. */
  val routes: Routes = Routes(
    GET / "fault" to state,
    PUT / "fault" + ?("down", arg[Boolean]) to { down =>
      setDown(down)
      state
    }
  )

  private def state: Response =
    Json.obj("down" -> down).ok
}

object Fault {

  /** How long a request takes in a healthy service. */
  val Work: FiniteDuration = 20.millis

  /** How long it takes in one that is down. */
  val Hanging: FiniteDuration = 30.seconds

  private val broken = Response(Status.InternalServerError).text("out of order")
}
