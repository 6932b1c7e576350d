package needletail.client.call

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.client.{Misbehaving, Peer, Visitor}
import needletail.client.error.ClientError
import needletail.http._
import needletail.testing.Suite

/** A request's time and its client's interest reach the calls made for it. */
class DeadlineSuite extends Suite with Misbehaving {

  test("a handler's calls end before its own answer is due; it can still say so") {
    scripted((_, _) => ()) { (hung, client) =>
      val handler: Handler = request => {
        implicit val half: TimeLimit = TimeLimit.in(request.timeLimit.timeLeft.get / 2)
        client.get(hung.url).text.map(Response.ok).recover { case e: ClientError.TimedOut =>
          Response(e.asHttpError.status).text(e.getMessage)
        }
      }
      serving(handler, strict, serverConfig.copy(handlerTimeout = 3.seconds)) { (front, caller) =>
        val answer = caller.get(front.url).await()
        assertEquals(answer.status, Status.GatewayTimeout)
        assert(answer.text.contains("before the deadline of the request it was made for"), answer.text)
        eventually(hung.closed.get == 1)
      }
    }
  }

  test("a call with all of its request's time fails before that is over, so that the answer says why") {
    scripted((_, _) => ()) { (hung, client) =>
      val handler: Handler = { request =>
        implicit val all: Request = request
        client.get(hung.url).text.map(Response.ok)
      }
      serving(handler, strict, serverConfig.copy(handlerTimeout = 200.millis)) { (front, caller) =>
        for (_ <- 1 to 10)
          assertEquals(caller.get(front.url).await().status, Status.GatewayTimeout)
      }
    }
  }

  test("an implicit request bounds the calls made where it is in scope") {
    serving(_ => Response.ok("hello")) { (back, client) =>
      @volatile var left: Option[FiniteDuration] = None
      val handler: Handler                       = { request =>
        implicit val r: Request = request
        val call                = client.get(back.url)
        left = call.deadline.timeLeft
        call.text.map(Response.ok)
      }
      serving(handler, strict, serverConfig.copy(handlerTimeout = 20.seconds)) { (front, caller) =>
        assertEquals(caller.get(front.url).await().text, "hello")
        assert(left.exists(d => d > 1.second && d <= 20.seconds), left)
      }
    }
  }

  test("explicit deadlines: the earlier of several counts, one that has passed sends nothing") {
    scripted((peer, _) => peer.send(ok)) { (server, client) =>
      val call = client.get(server.url).timeout(TimeLimit.in(1.hour)).timeout(TimeLimit.in(1.minute))
      assert(call.deadline.timeLeft.exists(_ <= 1.minute))
      assertEquals(call.await().text, "ok")
      val e = intercept[ClientError.TimedOut](call.timeout(TimeLimit.in(0.seconds)).await())
      assert(e.getMessage.contains("it had not been sent"), e.getMessage)
      assertEquals(server.requests.get, 1)
    }
  }

  test("a browser goes away: the call made for it is cancelled and its connection closed") {
    @volatile var cancelled = false
    val hanging: Handler    = _ => {
      val never = new AsyncPromise[Response]
      never.onCancel(() => cancelled = true)
      never
    }
    serving(hanging) { (back, client) =>
      serving(request => client.get(s"${back.url}${request.path}").text.map(Response.ok)) { (front, _) =>
        val browser = new Visitor(front.port, "GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
        eventually(client.statistics.headOption.exists(_.inFlight == 1))
        assert(!cancelled)
        browser.reset()
        eventually(client.statistics.head.open == 0, client.statistics)
        assertEquals(client.statistics.head.cancelled, 1L)
        eventually(cancelled, "and so on, to the last in the chain")
      }
    }
  }

  test("a browser goes away while a body is passed on: the stream behind it is cancelled") {
    @volatile var cancelled = false
    val endless             = new ByteStream {
      def next(): Async[Option[Array[Byte]]] = Async.sleep(1.milli).map(_ => Some(new Array[Byte](1000)))
      def cancel(): Unit                     = cancelled = true
    }
    serving(_ => Response.ok.stream(endless)) { (back, client) =>
      serving(_ => client.get(back.url).stream.map(_.toResponse)) { (front, _) =>
        val browser = new Visitor(front.port, "GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
        eventually(browser.received > 0)
        browser.reset()
        eventually(cancelled)
        eventually(client.statistics.head.open == 0)
      }
    }
  }

  test("the handler's own timeout cancels its calls") {
    scripted((_, _) => ()) { (hung, client) =>
      serving(
        _ => client.get(hung.url).text.map(Response.ok),
        strict,
        serverConfig.copy(handlerTimeout = 1.second)
      ) { (front, caller) =>
        assertEquals(caller.get(front.url).await().status, Status.ServiceUnavailable)
        eventually(hung.closed.get == 1)
        assertEquals(client.statistics.head.cancelled, 1L)
      }
    }
  }

  test(
    "a failure that the handler lets through is answered as a gateway would, and tells nothing of the inside"
  ) {
    def through(script: Peer => Unit): (Int, String) =
      scripted((peer, _) => script(peer), strict.copy(requestTimeout = 1.second)) { (back, client) =>
        serving(_ => client.get(back.url).text.map(Response.ok)) { (front, caller) =>
          val answer = caller.get(front.url).once.await()
          assert(!answer.text.contains(back.port.toString), answer.text)
          (answer.status.code, answer.text)
        }
      }
    assertEquals(through(_ => ()), (504, "a service behind this one took too long"))
    assertEquals(through(_.close()), (502, "a service behind this one failed"))
    assertEquals(through(_.send("garbage")), (502, "a service behind this one failed"))
  }

  test("the time a slow upload takes is not the handler's, nor that of its calls") {
    serving(_ => Response.ok("hello")) { (back, client) =>
      val handler: Handler = { request =>
        implicit val r: Request = request
        request.body.bytes.flatMap(_ => client.get(back.url).text).map(Response.ok)
      }
      val slow = new ByteStream {
        private var left                       = 6
        def next(): Async[Option[Array[Byte]]] = {
          left -= 1
          if (left < 0) Async.value(None) else Async.sleep(700.millis).map(_ => Some(new Array[Byte](10)))
        }
        def cancel(): Unit = ()
      }
      serving(handler, strict, serverConfig.copy(handlerTimeout = 3.seconds)) { (front, caller) =>
        assertEquals(caller.post(front.url).body(slow).await().text, "hello")
      }
    }
  }

  /** The number of bytes. */
  private def sizeOf(stream: ByteStream, before: Long = 0): Async[Long] = stream.next().flatMap {
    case Some(piece) => sizeOf(stream, before + piece.length)
    case None        => Async.value(before)
  }

  private val hasty = strict.copy(requestTimeout = 2.seconds, bodyTimeout = 30.seconds)

  test("content that pauses has the time of a streamed body, also for a request whose time limit is nearer") {
    val size                  = 16 * 1024 * 1024 // more than a kernel takes at once
    def handler: Handler      = request => sizeOf(request.body.stream).map(n => Response.ok(n.toString))
    def pausing(): ByteStream = new ByteStream {
      private var asked                      = 0
      def next(): Async[Option[Array[Byte]]] = {
        asked += 1
        if (asked == 1) Async.value(Some(new Array[Byte](size)))
        else if (asked == 2) Async.sleep(3.seconds).map(_ => None)
        else Async.value(None)
      }
      def cancel(): Unit = ()
    }
    serving(handler, hasty) { (server, client) =>
      val call = client.post(server.url)
      assertEquals(call.body(pausing()).await().text, size.toString)
      assertEquals(call.timeout(TimeLimit.in(20.seconds)).body(pausing()).await().text, size.toString)
    }
  }

  test(
    "after streamed content a response has the time of a call, also for a request whose time limit is nearer"
  ) {
    scripted((_, _) => (), hasty) { (server, client) =>
      val call = client.post(server.url)
      for (c <- Seq(call, call.timeout(TimeLimit.in(20.seconds)))) {
        val content = ByteStream.of("some".getBytes)
        val e       = intercept[ClientError.TimedOut](c.body(content).await())
        assert(e.getMessage.contains("within 2000 ms"), e.getMessage)
      }
    }
  }
}
