package needletail.examples.store

import scala.concurrent.duration._

import needletail.client.{BreakerConfig, ClientConfig}

/**
 * Limits for each of the services that the store calls.
 *
 * @param searchTime timeout of a search; then 504
 * @param paymentTime timeout of a payment; then 504. Longer, because an abandoned payment may have been made
 * @param inFlight maximum of concurrent requests of one kind; others wait
 * @param queue maximum of waiting requests; beyond: 503
 * @param queueTime how long each may wait; then 503
 * @param client other settings. Its pools are as large as the bulkheads, which thus are the only limit; its breaker
 *   opens within two seconds of a service's failing, and never stays open for more than ten times half a second
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
