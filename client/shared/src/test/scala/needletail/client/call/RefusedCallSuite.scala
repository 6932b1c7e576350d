package needletail.client.call

import scala.concurrent.Promise
import scala.concurrent.duration._
import scala.util.Try

import needletail.async.Async
import needletail.client.{Misbehaving, Scripted}
import needletail.client.config.BreakerConfig
import needletail.client.error.ClientError
import needletail.http.{Handler, Response}
import needletail.http.message.Status
import needletail.io.EventLoops
import needletail.testing.Suite

/** Calls that are refused at once, by callers that try again at once. */
class RefusedCallSuite extends Suite with Misbehaving {

  test("while one is repeated until the breaker lets it pass, other calls of its loop are served") {
    @volatile var well   = false
    val handler: Handler = _ => if (well) Response.ok("well") else Response(Status.InternalServerError)
    val config = strict.copy(loops = 1, breaker = BreakerConfig(minCalls = 5, openFor = 1.second, probes = 1))
    val other  = new Scripted((peer, _) => peer.send(ok))
    try
      serving(handler, config) { (server, client) =>
        val service = client.service(server.url)
        for (_ <- 1 to 5) assertEquals(service.get("/").await().status, Status.InternalServerError)
        well = true
        var refused   = 0 // used on the client's loop
        val repeating = client.run {
          def again(): Async[String] = service.get("/").text.recoverWith {
            case _: ClientError.BreakerOpen if refused < 10000000 =>
              refused += 1
              again()
          }
          again()
        }
        assertEquals(client.get(other.url).await().text, "ok")
        assertEquals(await(repeating), "well")
        assert(client.await(Async.attempt(refused)) > 0)
      }
    finally other.close()
  }

  test("calls that are repeated at the end of their loop fail before it has ended, the last one as well") {
    scripted((_, _) => (), strict) { (server, client) =>
      val loops              = new EventLoops(1, "test", daemon = true)
      val ended              = Promise[Try[Any]]()
      def call(): Async[Any] = client.get(server.url).response
      loops(0).execute { () =>
        call().recoverWith { case _ => call() }.recoverWith { case _ => call() }.recoverWith { case _ =>
          call()
        }
          .onComplete { result => ended.success(result); () }
      }
      eventually(server.requests.get == 1)
      loops.stop()
      await(loops.stopped)
      assert(await(ended.future).isFailure)
    }
  }

  test("one of a client that is closed, or whose queue is full, is refused in the next turn") {
    val loops = new EventLoops(1, "test", daemon = true)
    try
      scripted((_, _) => (), strict.copy(connectionsPerHost = 1, maxQueued = 0)) { (server, client) =>
        /** How many calls were made, one after the other, before a task that was queued at the beginning had run. */
        def calls(): Int = await(Async.run(loops(0)) {
          var isOver                    = false
          def again(n: Int): Async[Int] =
            if (isOver || n == 10000) Async.value(n)
            else client.get(server.url).response.map(_ => -1).recoverWith { case _: ClientError =>
              again(n + 1)
            }
          loops(0).execute(() => isOver = true)
          again(0)
        })
        val held = Async.run(loops(0))(client.get(server.url).response)
        eventually(server.requests.get == 1)
        assertEquals(calls(), 1)
        client.close()
        intercept[ClientError](await(held))
        assertEquals(calls(), 1)
      }
    finally {
      loops.stop()
      await(loops.stopped)
    }
  }
}
