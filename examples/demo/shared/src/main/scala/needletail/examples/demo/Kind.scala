package needletail.examples.demo

import needletail.client.{Call, Service}

/** A kind of customers' requests: its name in metrics, and the call. */
sealed abstract class Kind(val name: String) {
  def call(store: Service): Call
}

object Kind {
  case object Index extends Kind("index") {
    def call(store: Service): Call = store.get("/")
  }

  case object Search extends Kind("search") {
    def call(store: Service): Call = store.get("/search?query=shoes")
  }

  case object Payments extends Kind("payments") {
    def call(store: Service): Call =
      store.post("/payments").setHeader("Content-Type", "application/x-www-form-urlencoded").body("amount=20")
  }

  val all: List[Kind] = List(Index, Search, Payments)
}
