package needletail.examples.store

import needletail.async.Async
import needletail.client.{Client, ClientMetrics, ClientResponse, HostStatistics}
import needletail.http.TimeLimit
import needletail.json.{Json, JsonReader}
import needletail.metrics.MetricSource
import needletail.routing._
import needletail.server.Log

/**
 * An online store with three kinds of requests: an index page, a search and payments. The last two call a service
 * each.
 *
 * The kinds are isolated: a service that is slow or down affects the requests that need it, and takes nothing from
 * the others. This is done by a timeout and a circuit breaker for each service, and a bulkhead around its route.
 *
 * @throws java.lang.IllegalArgumentException for a URL other than `http://host:port` or `https://host:port`
 */
final class Store(
    searchUrl: String,
    paymentUrl: String,
    config: StoreConfig = StoreConfig(),
    log: Log = Log.standardError
) extends AutoCloseable {
  private val client   = Client(config.client)
  private val searches = new Dependency("search", client.service(searchUrl), config.searchTime, log)
  private val payments = new Dependency("payment", client.service(paymentUrl), config.paymentTime, log)

  val routes: Routes = Routes(
    GET to Store.welcome,
    bulkhead(GET / "search" + ?("query", arg[String]) + request to { case (query, request) =>
      search(query)(request.timeLimit)
    }),
    bulkhead(POST / "payments" + Body[Amount] + request to { case (amount, request) =>
      pay(amount)(request.timeLimit)
    }).priority(Priority.High) // payments are refused last
  )

  /** The limit of requests in flight is the one declared here, not one that the server derives from response times. */
  private def bulkhead(route: Route): Routes =
    route.limit(config.inFlight, config.queue, config.queueTime).withoutAdaptiveLimit

  private def search(query: String)(implicit limit: TimeLimit): Async[Response] =
    searches.ask(_.get(s"/search?${Parameters("query" -> query).render}"))(Store.descriptions)(
      _.mkString("Found results: ", ", ", ".\n").ok
    )

  private def pay(amount: Amount)(implicit limit: TimeLimit): Async[Response] = {
    val order = Json.obj("amount" -> amount.value).toString
    payments.ask(_.post("/payments").setHeader("Content-Type", "application/json").body(order))(_ =>
      Some(Store.paid)
    )(
      identity
    )
  }

  /** The statistics of the services: search, then payment. */
  def services: Seq[HostStatistics] = Seq(searches.statistics, payments.statistics)

  /** The same, for the server's `/metrics`. */
  val metrics: MetricSource = new ClientMetrics("store" -> client)

  /** Closes the connections to the services. */
  def close(): Unit = client.close()
}

object Store {
  private val welcome = "Welcome to our website.".ok
  private val paid    = "Payment processed.\n".ok

  private val products = JsonReader.vector(JsonReader(_.at("description").as[String]))

  /** The result of the search service; None if it is malformed. */
  private def descriptions(answer: ClientResponse): Option[Seq[String]] =
    Json.parse(answer.text).flatMap(_.at("results").as(products)).toOption
}
