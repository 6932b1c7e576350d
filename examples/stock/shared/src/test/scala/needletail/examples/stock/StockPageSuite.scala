package needletail.examples.stock

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

import needletail.async.{Async, AsyncPromise, Loop}
import needletail.client.Client
import needletail.examples.services.Running
import needletail.http.{Handler, Reply}
import needletail.json._
import needletail.routing._
import needletail.server.RunningServer
import needletail.testing.Suite

/** Calls composed one after another and at the same time; what happens when one fails or hangs, or the client leaves. */
class StockPageSuite extends Suite with Running {

  /** The services, which hold on to the requests for some paths until they are let go. */
  private class Held(holds: String => Boolean) extends Handler {
    private val services = new Services(new Faults(0.millis)).routes
    private val held     = new ConcurrentLinkedQueue[Option[Response] => Unit]
    private val paths    = new ConcurrentLinkedQueue[String]
    val gaveUp           = new AtomicInteger // calls whose caller has given up

    /** What was asked for, in order. */
    def asked: List[String]            = paths.asScala.toList
    def waiting: Int                   = held.size
    def apply(request: Request): Reply = {
      paths.add(request.path)
      if (!holds(request.path)) services(request)
      else {
        val kept    = request.keep
        val loop    = Loop.current
        val promise = new AsyncPromise[Response]
        promise.onCancel { () => gaveUp.incrementAndGet(); () }
        held.add(instead =>
          loop.execute { () =>
            instead.fold(services(kept).toAsync)(Async.value(_)).onComplete { r => promise.complete(r); () }
          }
        )
        promise
      }
    }

    def letOneGo(): Unit                   = held.poll()(None)
    def answerOne(instead: Response): Unit = held.poll()(Some(instead))
  }

  private def page[A](held: Held, time: FiniteDuration = 20.seconds)(body: (RunningServer, Client) => A): A =
    running(held) { services =>
      asking { client =>
        running(new StockPage(new Catalogue(client.service(services.url)), time).routes) { server =>
          asking(customer => body(server, customer))
        }
      }
    }

  private val nothing: String => Boolean = _ => false

  test("one after another: each call has what the one before has found") {
    val held = new Held(nothing)
    page(held) { (server, client) =>
      val answer = client.get(s"${server.url}/stock/7/newest").await()
      assertEquals(answer.text, """{"user":"user 7","stock":[{"product":43,"number":9}]}""")
      assertEquals(
        held.asked,
        List("/users/7", "/users/7/orders", "/orders/73/products", "/products/43/stock")
      )
    }
  }

  test("at the same time: all orders' products, and a stock for each product once") {
    val held = new Held(nothing)
    page(held) { (server, client) =>
      val answer = Json.parse(client.get(s"${server.url}/stock/7").await().text)
      val stocks = answer.flatMap(_.at("stock").as(JsonReader.vector(JsonReader(_.at("product").as[Int]))))
      assertEquals(stocks, Right(Vector(2, 25, 41, 3, 26, 42, 4, 27, 43)))
      assertEquals(held.asked.toSet.size, held.asked.size)
      assertEquals(held.asked.size, 2 + 3 + 9)
    }
  }

  test("user and orders are asked at once, then all products, then four stocks at a time") {
    val held = new Held(_ => true)
    page(held) { (server, client) =>
      val answer                                  = client.get(s"${server.url}/stock/7").future
      def waitFor(count: Int, part: String): Unit = {
        eventually(held.waiting == count, held.asked)
        assert(held.asked.takeRight(count).forall(_.contains(part)), held.asked)
      }
      waitFor(2, "/users/7")
      held.letOneGo()
      held.letOneGo()
      waitFor(3, "/products")
      for (_ <- 1 to 3) held.letOneGo()
      for (asked <- 4 to 9) {
        eventually(held.asked.count(_.endsWith("/stock")) == asked, held.asked)
        assertEquals(held.waiting, 4)
        held.letOneGo()
      }
      for (_ <- 1 to 3) held.letOneGo()
      assertEquals(await(answer).status.code, 200)
      assertEquals(held.gaveUp.get, 0)
    }
  }

  test("one fails: the answer says so at once, the others are given up, and nothing more is asked") {
    val held = new Held(_.endsWith("/products"))
    page(held) { (server, client) =>
      val asked = client.get(s"${server.url}/stock/7").future
      eventually(held.waiting == 3, held.asked)
      held.answerOne(Response(Status.InternalServerError))
      val answer = await(asked)
      assertEquals(answer.status.code, 502)
      assert(answer.text.startsWith("the service failed for /orders/7"), answer.text)
      eventually(held.gaveUp.get == 2, held.gaveUp.get)
      assertEquals(held.asked.count(_.endsWith("/stock")), 0)
    }
  }

  test("one fails in a sequence: the rest is not asked") {
    val none: Routes = GET / "users" / arg[Long] to (_ => "no such user".notFound)
    val held         = new Held(nothing)
    val handler      = new Handler { def apply(request: Request): Reply = { held(request); none(request) } }
    running(handler) { services =>
      asking { client =>
        running(new StockPage(new Catalogue(client.service(services.url))).routes) { server =>
          asking { customer =>
            assertEquals(customer.get(s"${server.url}/stock/7/newest").await().status.code, 502)
            assertEquals(held.asked, List("/users/7"))
          }
        }
      }
    }
  }

  test("one is slow: 504 when the time of all together is over, and what is under way is given up") {
    val held = new Held(_.endsWith("/stock"))
    page(held, time = 300.millis) { (server, client) =>
      val answer = client.get(s"${server.url}/stock/7").await()
      assertEquals(answer.status.code, 504)
      // on a busy machine the time may be over before the stocks are asked for
      eventually(held.gaveUp.get == held.waiting, (held.gaveUp.get, held.waiting))
      assert(held.waiting <= 4, held.asked)
    }
  }

  test("the client leaves: its calls are given up, and nothing more is asked") {
    val held = new Held(_.endsWith("/stock"))
    page(held) { (server, _) =>
      asking { leaving =>
        leaving.get(s"${server.url}/stock/7").future
        eventually(held.waiting == 4, held.asked)
      } // closes its connections
      eventually(held.gaveUp.get == 4, held.gaveUp.get)
      assertEquals(held.asked.count(_.endsWith("/stock")), 4)
    }
  }
}
