package needletail.simulation.service

import scala.concurrent.duration._

import needletail.async.Async
import needletail.content._
import needletail.http.{Attachment, Reply}
import needletail.routing._
import needletail.simulation.world.World

/**
 * User code around routes, in some simulations: it throws, is late, answers by itself, and is told of drains. Chosen by the
 * seed itself, without a random number, so that the other seeds stand for the simulations that docs/testing.md says they
 * do.
 */
final class Wrappers(world: World, code: UserCode) {

  /** Not of TLS and WebSockets, whose simulations are about other things. */
  val areUsed: Boolean = (world.seed % 20 == 3 || world.seed % 20 == 17) && world.seed % 13 != 0 &&
    world.seed % 11 != 3

  // something is to be thrown in each of them, unless its scenario wants none of it
  if (areUsed && world.faults.throws == 0) world.faults = world.faults.copy(throws = 30)

  def around(routes: Routes): Routes =
    if (!areUsed) routes
    else
      routes
        .recover {
          case _: RuntimeException =>
            code.at("a recover")
            Response(Status.InternalServerError).text("recovered")
        }
        .mapResponse { (_, response) => code.at("a mapResponse"); response.header("X-Mapped", "yes") }
        .around((request, next) => wrapped(request, next))
        .rateLimit(RateLimit(
          requests = 1000000,
          per = 1.second,
          key = { request => code.at("the key of a rate limit"); RateLimit.address(request) }
        ))

  private def wrapped(request: Request, next: () => Async[Response]): Reply = {
    code.at("an around")
    code.hearDrain(request.connection.draining)
    world.random.below(10) match {
      case 0 => Async.sleep(world.random.longBetween(0, 20000000L).nanos).flatMap(_ => next())
      case 1 => next().map { response => code.at("a map in an around"); response }
      case 2 if world.faults.throws > 0 => Response(Status.ServiceUnavailable)
      case 3                            => next().andFinally(code.at("an andFinally"))
      case 4 => failing.recover { case _ => code.at("a recover of an Async") }.flatMap(_ => next())
      case 5 => failing.recoverWith { case _ => code.at("a recoverWith of an Async"); Async.unit }
          .flatMap(_ => next())
      case 6 =>
        Async.traverse(List(1, 2), 2) { _ => code.at("a traverse"); Async.yieldNow }.flatMap(_ => next())
      case 7 => next().withFilter { _ => code.at("a withFilter"); true }
      case 8 =>
        val _ = request.connection.attachment(kept)
        next()
      case _ => next()
    }
  }

  private def failing: Async[Unit] =
    Async.yieldNow.flatMap(_ => Async.fail(new IllegalStateException("to be recovered from")))

  private val kept = new Attachment[String]({ code.at("the first value of an Attachment"); "kept" })

  /** A drain as a stream's `until` waits for it. */
  def draining(request: Request): Async[Unit] = {
    val draining = request.connection.draining
    if (areUsed) draining.map(_ => code.at("a map of a drain")) else draining
  }
}
