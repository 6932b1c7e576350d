package needletail.examples.store

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.Future
import scala.concurrent.duration._

import needletail.async.{AsyncPromise, Loop}
import needletail.client.{BreakerConfig, BreakerState, Client, ClientResponse}
import needletail.examples.payment.Payment
import needletail.examples.search.Search
import needletail.examples.services.{Fault, Running}
import needletail.http.{Handler, Reply}
import needletail.routing._
import needletail.server.{Log, RunningServer}
import needletail.testing.{KernelSockets, Suite}

/** A service that is slow, silent, gone or unknown affects the requests that need it, and no others. */
class IsolationSuite extends Suite with Running {
  private final val Many = 200

  private class Warnings extends Log {
    val all                                            = new ConcurrentLinkedQueue[String]
    def warn(message: String): Unit                    = { all.add(message); () }
    def error(message: String, cause: Throwable): Unit = { all.add(s"$message: $cause"); () }
  }

  /** A search service that holds on to what it is asked until it is let go. */
  private class Hanging extends Handler {
    private val held                   = new ConcurrentLinkedQueue[(Loop, AsyncPromise[Response])]
    private val healthy                = new Search(new Fault).routes
    val asked                          = new AtomicInteger
    val gaveUp                         = new AtomicInteger // calls whose caller has given up
    @volatile private var hangs        = true
    def apply(request: Request): Reply = {
      asked.incrementAndGet()
      if (!hangs) healthy(request)
      else {
        val promise = new AsyncPromise[Response]
        promise.onCancel { () => gaveUp.incrementAndGet(); () }
        held.add((Loop.current, promise))
        promise
      }
    }
    def letGo(): Unit = {
      hangs = false
      held.forEach { case (loop, promise) =>
        loop.execute { () =>
          promise.succeed(Response.ok.contentType("application/json").text("""{"results":[]}""")); ()
        }
      }
    }
  }

  private def storeWith[A](searchUrl: String, config: StoreConfig = StoreConfig(), log: Log = Log.none)(
      body: (Store, RunningServer, Client) => A
  ): A =
    running(new Payment(new Fault).routes) { payment =>
      val store = new Store(searchUrl, payment.url, config, log)
      try running(store.routes)(server => asking(client => body(store, server, client)))
      finally store.close()
    }

  private def times(n: Int)(call: => Future[ClientResponse]): Seq[Future[ClientResponse]] = Seq.fill(n)(call)
  private def search(server: RunningServer, client: Client)                               =
    client.get(s"${server.url}/search?query=a").future
  private def index(server: RunningServer, client: Client) = client.get(server.url).future
  private def pay(server: RunningServer, client: Client)   = client
    .post(s"${server.url}/payments")
    .setHeader("Content-Type", "application/x-www-form-urlencoded")
    .body("amount=20")
    .future

  private def statuses(answers: Seq[Future[ClientResponse]]): Map[Int, Int] =
    answers.map(await(_)).groupBy(_.status.code).map { case (code, all) => code -> all.size }

  /** All that a customer who needs no search may expect. */
  private def othersAreWell(server: RunningServer, client: Client): Unit = {
    assertEquals(statuses(times(Many)(index(server, client))), Map(200 -> Many))
    // not more at once than payments may be under way and wait
    for (_ <- 1 to 4) assertEquals(statuses(times(Many / 4)(pay(server, client))), Map(200 -> Many / 4))
  }

  test(
    "search hangs: it takes no more than its bulkhead allows, and index and payments are served meanwhile"
  ) {
    val hanging = new Hanging
    running(hanging) { service =>
      val config = StoreConfig(searchTime = 15.seconds, inFlight = 64, queue = 0)
      storeWith(service.url, config) { (store, server, client) =>
        val searches = times(Many)(search(server, client))
        eventually(searches.count(_.isCompleted) == Many - 64, searches.count(_.isCompleted))
        eventually(hanging.asked.get == 64, hanging.asked.get)
        othersAreWell(server, client)
        assertEquals(searches.count(_.isCompleted), Many - 64, "they still hang")
        hanging.letGo()
        assertEquals(statuses(searches), Map(200 -> 64, 503 -> (Many - 64)))
        assertEquals(statuses(times(10)(search(server, client))), Map(200 -> 10), "and all is well again")
        eventually(store.services.map(_.inFlight).sum == 0, store.services)
      }
    }
  }

  test("search never answers: each is told so, the calls are given up, and soon it is left alone") {
    val hanging  = new Hanging
    val warnings = new Warnings
    running(hanging) { service =>
      val default = StoreConfig()
      val config  = default.copy(
        searchTime = 2.seconds, // by when all have come, also on a busy machine
        client = default.client.copy(breaker = BreakerConfig(minCalls = 20, openFor = 10.seconds))
      )
      storeWith(service.url, config, warnings) { (store, server, client) =>
        val silent = times(40)(search(server, client)).map(await(_))
        assertEquals(silent.map(_.status.code).toSet, Set(504))
        assertEquals(silent.map(_.text).toSet, Set("The search service took too long.\n"))
        eventually(hanging.gaveUp.get == 40, hanging.gaveUp.get)
        assertEquals(store.services.head.breaker, BreakerState.Open: BreakerState)
        val refused = await(search(server, client))
        assertEquals(
          (refused.status.code, refused.text),
          (503, "The search service fails too often and is not called for a while.\n")
        )
        assertEquals(hanging.asked.get, 40, "it was not asked again")
        othersAreWell(server, client)
        assertEquals(warnings.all.size, 1, "said once, not for each")
        assert(warnings.all.peek.contains("not complete within 2000 ms"), warnings.all.peek)
      }
    }
  }

  test(
    "search is killed under load: clear errors, nothing hangs or leaks, and it is found again when it is back"
  ) {
    val service = new Search(new Fault).routes
    val port    = running(service)(_.port)
    storeWith(s"http://127.0.0.1:$port") { (store, server, client) =>
      val sockets = running(service, port) { _ =>
        othersAreWell(server, client)
        // as many at once as there will be, since connections are kept
        val all = times(100)(search(server, client)) ++ times(50)(pay(server, client))
        assertEquals(statuses(all), Map(200 -> 150))
        openSockets(port, server.port)
      }
      // in the middle of the search service's work
      val (before, during) = running(service, port) { _ =>
        eventually(await(search(server, client)).status.code == 200)
        val before = times(50)(search(server, client))
        eventually(store.services.head.inFlight > 0 || before.exists(_.isCompleted))
        (before, times(50)(pay(server, client)))
      }
      val after  = times(50)(search(server, client))
      val broken = (before ++ after).map(await(_)).filter(_.status.code != 200)
      assert(broken.length >= 50, broken.length)
      assertEquals(broken.map(_.status.code).toSet -- Set(502, 503), Set.empty[Int])
      assert(broken.forall(_.text.startsWith("The search service ")), broken.map(_.text).toSet)
      assertEquals(statuses(during), Map(200 -> 50))
      othersAreWell(server, client)
      running(service, port) { _ =>
        eventually(await(search(server, client)).status.code == 200)
        eventually(store.services.map(_.inFlight).sum == 0)
        eventually(
          openSockets(port, server.port) <= sockets,
          s"${openSockets(port, server.port)} sockets instead of $sockets"
        )
      }
    }
  }

  test("the search service's name is unknown: 502 that says so to the customer, and the name to the log") {
    val warnings = new Warnings
    storeWith("http://search.invalid:8081", log = warnings) { (_, server, client) =>
      val answer = await(search(server, client))
      assertEquals(answer.text.linesIterator.next().take(19), "The search service ")
      assert(Set(502, 504).contains(answer.status.code), answer.status)
      assert(warnings.all.peek.contains("http://search.invalid:8081"), warnings.all)
      othersAreWell(server, client)
    }
  }

  test("what is no answer of a search service is 502") {
    val odd: Routes = GET / "search" + ?("query", arg[String]) to {
      case "text"   => "hello".ok
      case "fields" => """{"results":[{"name":"a"}]}""".ok
      case _        => Response(Status.NotFound)
    }
    running(odd) { service =>
      storeWith(service.url) { (_, server, client) =>
        for (query <- List("text", "fields", "other")) {
          val answer = client.get(s"${server.url}/search?query=$query").await()
          assertEquals((answer.status.code, answer.text), (502, "The search service failed.\n"), query)
        }
      }
    }
  }

  /** Sockets of both sides that are open at these ports, where the system tells (Linux); else none. */
  private def openSockets(ports: Int*): Int =
    KernelSockets.all.count(s => s.isHeld && ports.exists(port => s.port == port || s.peer == port))
}
