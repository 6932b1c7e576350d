package needletail.examples.store

import java.util.concurrent.atomic.AtomicLong

import scala.concurrent.duration._

import needletail.async.Async
import needletail.client.{Call, ClientError, ClientResponse, HostStatistics, Service}
import needletail.routing._
import needletail.server.Log

/**
 * A service that the store needs for one kind of its requests. When it fails, the customer is told that this part is
 * out of order, without internal details; the log gets the reason, at limited frequency.
 */
private[store] final class Dependency(name: String, service: Service, time: FiniteDuration, log: Log) {
  private val quietUntil = new AtomicLong(System.nanoTime())

  def statistics: HostStatistics = service.statistics

  /** Makes the call, reads the answer and makes the response. */
  def ask[A](call: Service => Call)(read: ClientResponse => Option[A])(answer: A => Response)
      : Async[Response] =
    call(service)
      .timeout(time)
      .response
      .map { came =>
        (if (came.status.code == 200) read(came) else None) match {
          case Some(value) => answer(value)
          case None        =>
            complain(s"$service answered ${came.status}, or a malformed response")
            sorry(Status.BadGateway, "failed")
        }
      }
      .recover {
        case e: ClientError.TimedOut    => failed(e, Status.GatewayTimeout, "took too long")
        case e: ClientError.BreakerOpen =>
          failed(e, Status.ServiceUnavailable, "fails too often and is not called for a while")
        case e: ClientError => failed(e, e.asHttpError.status, "cannot be reached")
      }

  private def failed(error: ClientError, status: Status, what: String): Response = {
    if (!error.isInstanceOf[ClientError.BreakerOpen]) complain(error.getMessage)
    sorry(status, what)
  }

  private def sorry(status: Status, what: String): Response =
    Response(status).text(s"The $name service $what.\n")

  private def complain(what: String): Unit = {
    val now   = System.nanoTime()
    val until = quietUntil.get
    if (now - until >= 0 && quietUntil.compareAndSet(until, now + Dependency.Quiet.toNanos))
      log.warn(s"the $name service fails: $what")
  }
}

private object Dependency {

  /** How long further failures of a service are not logged. */
  private val Quiet = 10.seconds
}
