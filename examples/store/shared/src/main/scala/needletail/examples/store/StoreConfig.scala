package needletail.examples.store

import scala.concurrent.duration._

import needletail.client.{BreakerConfig, ClientConfig}

/**
 * What the store grants each of the services it asks.
 *
 * @param searchTime for a search, after which it is answered 504
 * @param paymentTime for a payment, likewise; longer, as one that was given up may have been made
 * @param inFlight requests of one kind under way at once; others wait
 * @param queue of them at most so many, beyond which they are answered 503
 * @param queueTime and each at most so long
 * @param client the rest. Its pools are as large as the bulkheads, which thus are the only limit; its breaker opens
 *   within two seconds of a service's failing, and never stays open for more than ten times half a second
 */
final case class StoreConfig(
    searchTime: FiniteDuration = 1.second,
    paymentTime: FiniteDuration = 3.seconds,
    inFlight: Int = 128,
    queue: Int = 128,
    queueTime: FiniteDuration = 250.millis,
    client: ClientConfig = ClientConfig(
      connectionsPerHost = 128,
      maxQueued = 128,
      connectTimeout = 1.second,
      breaker = BreakerConfig(window = 2.seconds, openFor = 500.millis)
    )
)
