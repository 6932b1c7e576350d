package needletail.examples.search

import needletail.examples.services.Fault
import needletail.json.Json
import needletail.routing._

/** A search service that always finds the same two products. */
final class Search(fault: Fault) {

  /** A service that is down has many requests in flight on purpose: its clients have to give up. */
  val routes: Routes =
    (GET / "search" + ?("query", arg[String]) to (query => fault(Search.found(query)))).withoutAdaptiveLimit
}

object Search {
  private val products = Json.arr(product(10, "Some product"), product(11, "Some other product"))

  private def product(id: Long, description: String): Json =
    Json.obj("productId" -> id, "description" -> description)

  private def found(query: String): Response =
    Json.obj("query" -> query, "results" -> products).ok
}
