package needletail.examples.stock

import java.util.concurrent.atomic.AtomicLong

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.json.Json
import needletail.routing._

/**
 * How each of the services fares, which administrators may change, and what it has seen of its caller. May be used by
 * any thread.
 *
 * @param work how long each request takes
 */
final class Faults(work: FiniteDuration) {
  val users    = new Faults.Of("users", work)
  val orders   = new Faults.Of("orders", work)
  val products = new Faults.Of("products", work)
  val stock    = new Faults.Of("stock", work)

  private val all                   = Seq(users, orders, products, stock)
  private def kindOf(of: Faults.Of) = ?(of.name, arg[Option[Faults.Kind]])

  /**
   * `GET /fault`, and `PUT /fault?orders=fail&stock=hang`: for administrators only. 400, and nothing changes, if
   * a service is unknown or named twice, or none is named.
   */
  val routes: Routes = Routes(
    GET / "fault" to state,
    PUT / "fault" + kindOf(users) + kindOf(orders) + kindOf(products) + kindOf(stock) + request to {
      case (ofUsers, ofOrders, ofProducts, ofStock, request) =>
        wrong(request.queryParams.toList.map(_._1)).map(_.badRequest).getOrElse {
          all.zip(Seq(ofUsers, ofOrders, ofProducts, ofStock)).foreach { case (one, kind) =>
            kind.foreach(one.set)
          }
          state
        }
    }
  )

  /** What is wrong with the names in a query. */
  private def wrong(names: List[String]): Option[String] = {
    val known = all.map(_.name)
    val why   = names.find(!known.contains(_)) match {
      case Some(unknown)         => Some(s"there is no service '$unknown'")
      case None if names.isEmpty => Some("no service is named")
      case None => names.diff(known).headOption.map(twice => s"there are two faults for '$twice'")
    }
    why.map(reason => s"$reason; the services are ${known.mkString(", ")}")
  }

  private def state: Response = Json.obj(all.map(one => (one.name -> one.state): Json.Member): _*).ok
}

object Faults {

  /** How a service answers: as it should, with an error at once, or only after a long time. */
  sealed abstract class Kind(val name: String)
  case object Working extends Kind("none")
  case object Failing extends Kind("fail")
  case object Hanging extends Kind("hang")

  object Kind {
    val all: Seq[Kind]            = Seq(Working, Failing, Hanging)
    implicit val read: Read[Kind] = Read.of("none, fail or hang")(text => all.find(_.name == text))
  }

  /** One service. */
  final class Of private[Faults] (val name: String, work: FiniteDuration) {
    @volatile private var kind: Kind = Working
    private val calls, cancelled     = new AtomicLong

    def set(to: Kind): Unit = kind = to

    /** What the service does for a call, on a loop. */
    def apply(answer: => Response): Async[Response] = {
      calls.incrementAndGet()
      kind match {
        case Working => after(work)(answer)
        case Failing => Async.value(broken)
        case Hanging => after(LongTime)(broken)
      }
    }

    private def after(time: FiniteDuration)(answer: => Response): Async[Response] = {
      val promise = new AsyncPromise[Response]
      val waiting = Async.sleep(time)
      promise.onCancel { () =>
        cancelled.incrementAndGet()
        waiting.cancel()
      }
      waiting.foreach { _ =>
        promise.succeed(answer)
        ()
      }
      promise
    }

    private[Faults] def state: Json =
      Json.obj("fault" -> kind.name, "calls" -> calls.get, "cancelled" -> cancelled.get)
  }

  /** Longer than the page waits. */
  val LongTime: FiniteDuration = 30.seconds

  private val broken = Response(Status.InternalServerError).text("out of order")
}
