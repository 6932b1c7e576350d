package needletail.examples.counter

import scala.concurrent.duration._

import needletail.actor.{Actor, ActorRef, Recipient}
import needletail.async.Loop
import needletail.routing._

/** `GET /dispatcher` answers 1, 2, 3, …: an actor counts the requests of all loops. */
final class Counter {
  import Counter.Next

  /** Lives on the loop that served the first request. */
  private lazy val counter: ActorRef[Next] = Actor.spawn[Next](Loop.current) { _ =>
    var count = 0L
    next => {
      count += 1
      next.answer ! count
    }
  }

  val routes: Routes = GET / "dispatcher" to (_ => counter.ask[Long](1.second)(Next(_)).map(_.toString.ok))
}

object Counter {
  private final case class Next(answer: Recipient[Long])
}
