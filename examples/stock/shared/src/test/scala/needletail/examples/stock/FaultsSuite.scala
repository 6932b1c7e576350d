package needletail.examples.stock

import scala.concurrent.duration._

import needletail.client.Client
import needletail.examples.services.Running
import needletail.json._
import needletail.routing._
import needletail.server.RunningServer
import needletail.testing.Suite
import needletail.testkit._

/** What a reader of docs/async.md sees who makes a service fail or hang. */
class FaultsSuite extends Suite with Running {
  private def state(faults: Faults, service: String): (String, Long, Long) = {
    val json =
      Json.parse(faults.routes.test(Request.get("/fault")).text).fold(e => fail(e.toString), identity)
    val read = for {
      fault     <- json.at(service).at("fault").as[String]
      calls     <- json.at(service).at("calls").as[Long]
      cancelled <- json.at(service).at("cancelled").as[Long]
    } yield (fault, calls, cancelled)
    read.fold(e => fail(e.toString), identity)
  }

  /** Calls for stocks, and those that were cancelled. */
  private def seen(faults: Faults): Seq[Long] = {
    val (_, calls, cancelled) = state(faults, "stock")
    Seq(calls, cancelled)
  }

  private def put(faults: Faults, query: String): TestReply =
    faults.routes.test(Request(Method.PUT, s"/fault?$query"))

  private def page[A](faults: Faults)(body: (RunningServer, Client) => A): A =
    running(new Services(faults).routes) { services =>
      asking { client =>
        running(new StockPage(new Catalogue(client.service(services.url)), 300.millis).routes) { server =>
          asking(body(server, _))
        }
      }
    }

  test("is switched by administrators, each service by itself, and says what it is") {
    val faults = new Faults(0.millis)
    assertEquals(
      put(faults, "orders=fail&stock=hang").text,
      """{"users":{"fault":"none","calls":0,"cancelled":0},"orders":{"fault":"fail","calls":0,"cancelled":0},""" +
        """"products":{"fault":"none","calls":0,"cancelled":0},"stock":{"fault":"hang","calls":0,"cancelled":0}}"""
    )
    put(faults, "orders=none")
    assertEquals((state(faults, "orders")._1, state(faults, "stock")._1), ("none", "hang"))
    val wrong = put(faults, "stock=maybe")
    assertEquals(wrong.status.code, 400)
    assert(wrong.text.contains("none, fail or hang"), wrong.text)
    assertEquals(state(faults, "stock")._1, "hang")
  }

  test("a query that names another service, one twice, or none, is refused and changes nothing") {
    val faults   = new Faults(0.millis)
    val services = "; the services are users, orders, products, stock"
    for (
      (query, why) <- Seq(
        "stock=fail&unknown=fail" -> "there is no service 'unknown'",
        "stock=fail&stock=hang"   -> "there are two faults for 'stock'",
        ""                        -> "no service is named"
      )
    ) {
      val reply = put(faults, query)
      assertEquals((reply.status.code, reply.text), (400, why + services))
      assertEquals(state(faults, "stock")._1, "none")
    }
  }

  test("work takes 20 ms; a service that fails does so at once, one that hangs after 30 s") {
    val faults = new Faults(Services.Work)
    val routes = new Services(faults).routes
    val reply  = routes.test(Request.get("/products/1/stock"))
    assertEquals(reply.advance(19.millis).isAnswered, false)
    assertEquals(reply.advance(1.milli).status.code, 200)
    put(faults, "stock=fail")
    assertEquals(routes.test(Request.get("/products/1/stock")).status.code, 500)
    put(faults, "stock=hang")
    val late = routes.test(Request.get("/products/1/stock"))
    assertEquals(late.advance(29999.millis).isAnswered, false)
    assertEquals(late.advance(1.milli).status.code, 500)
    assertEquals(state(faults, "stock"), ("hang", 3L, 0L))
  }

  /** With these faults the page is answered with that status; then looks while all still run. */
  private def answers(faults: Faults, query: String, status: Int)(look: => Unit): Unit = {
    put(faults, query)
    page(faults) { (server, client) =>
      assertEquals(client.get(s"${server.url}/stock/7").await().status.code, status)
      look
    }
  }

  test("products fail: 502, and no stock is asked for") {
    val faults = new Faults(0.millis)
    answers(faults, "products=fail", 502)(assertEquals(state(faults, "stock"), ("none", 0L, 0L)))
  }

  test("stocks hang: 504, and the calls are cancelled") {
    val faults = new Faults(0.millis)
    answers(faults, "stock=hang", 504) {
      // on a busy machine the time may be over before the stocks are asked for
      eventually(seen(faults).distinct.size == 1, seen(faults))
      assert(seen(faults).forall(_ <= 4), seen(faults))
    }
  }
}
