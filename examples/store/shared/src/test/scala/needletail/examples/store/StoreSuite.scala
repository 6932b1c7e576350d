package needletail.examples.store

import needletail.examples.payment.Payment
import needletail.examples.search.Search
import needletail.examples.services.{Fault, Running}
import needletail.routing._
import needletail.testing.Suite
import needletail.testkit._

class StoreSuite extends Suite with Running {
  private def store[A](body: Store => A): A = {
    val store = new Store("http://127.0.0.1:1", "http://127.0.0.1:2")
    try body(store)
    finally store.close()
  }

  test("welcomes, without asking anybody") {
    store(store => assertEquals(store.routes.test(Request.get("/")).text, "Welcome to our website."))
  }

  test("what is no search and no payment is refused before anybody is asked") {
    store { store =>
      def post(body: String) = store.routes.test(
        Request.post("/payments", body).withHeader("Content-Type", "application/x-www-form-urlencoded")
      )
      assertEquals(store.routes.test(Request.get("/search")).text, "missing query parameter 'query'")
      assertEquals((post("").status.code, post("").text), (400, "missing field 'amount'"))
      for (amount <- List("", "x", "1.5", "-1", "0", "9999999999999999999"))
        assertEquals(post(s"amount=$amount").text, "expected a positive whole number as 'amount'", amount)
      assertEquals(store.routes.test(Request.get("/payments")).status.code, 405)
      assertEquals(store.services.map(_.calls), Seq(0L, 0L))
    }
  }

  test("a URL that is none is refused when the store is made") {
    for (url <- List("localhost:8081", "ftp://a", "http://a/path", ""))
      intercept[IllegalArgumentException](new Store(url, "http://127.0.0.1:2"))
  }

  test("searches and takes payments by its services") {
    running(new Search(new Fault).routes) { search =>
      running(new Payment(new Fault).routes) { payment =>
        val store = new Store(search.url, payment.url)
        try running(store.routes) { server =>
            asking { client =>
              assertEquals(
                client.get(s"${server.url}/search?query=red+%26+blue").await().text,
                "Found results: Some product, Some other product.\n"
              )
              val paid = client.post(s"${server.url}/payments").setHeader(
                "Content-Type",
                "application/x-www-form-urlencoded"
              ).body("amount=20")
              assertEquals(paid.await().text, "Payment processed.\n")
            }
          }
        finally store.close()
      }
    }
  }
}
