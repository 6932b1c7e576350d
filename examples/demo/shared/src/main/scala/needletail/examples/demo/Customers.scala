package needletail.examples.demo

import scala.concurrent.duration._
import scala.concurrent.{ExecutionContext, Future}

import needletail.client.{BreakerConfig, Client, ClientConfig, RetryConfig}
import needletail.io.{Address, EventLoops}

/**
 * Simulated customers of a store, on loops of their own. Like people, they wait for long, and neither retry nor back
 * off.
 */
final class Customers(storeUrl: String, address: Address) extends AutoCloseable {
  private val loops =
    new EventLoops(Math.min(2, Runtime.getRuntime.availableProcessors), "needletail-customers", daemon = true)
  private val client = Client(Customers.patient, loops)

  // A service for each kind, so that no kind waits for another's connections.
  private val crowds: Map[Kind, Seq[Crowd]] = Kind.all.map { kind =>
    val call = kind.call(client.service(storeUrl, address))
    kind -> (0 until loops.size).map(i => new Crowd(loops(i), call, seed = 31L * i + kind.name.hashCode))
  }.toMap

  /** Sets the number of customers of each kind; new ones begin spread over that time. */
  def want(each: Int, ramp: FiniteDuration = Crowd.LongestPause): Unit = crowds.values.foreach { ofKind =>
    ofKind.zipWithIndex.foreach { case (crowd, i) => crowd.want((each + i) / ofKind.size, ramp) }
  }

  /** The results since the last call. */
  def take(): Future[Map[Kind, Tally]] = {
    implicit val here: ExecutionContext = ExecutionContext.parasitic
    Future
      .traverse(crowds.toSeq) { case (kind, ofKind) =>
        Future.sequence(ofKind.map(_.take())).map { tallies =>
          val sum = new Tally
          tallies.foreach(sum.add)
          kind -> sum
        }
      }
      .map(_.toMap)
  }

  def close(): Unit = {
    client.close()
    loops.stop()
  }
}

private object Customers {

  /** Longer than the slowest answer that the store may give. */
  private val Patience = 40.seconds

  private val patient = ClientConfig(
    connectionsPerHost = 8192,
    maxQueued = 8192,
    queueTimeout = Patience,
    connectTimeout = Patience,
    requestTimeout = Patience,
    retry = RetryConfig(attempts = 1),
    breaker = BreakerConfig(enabled = false)
  )
}
