package needletail.client

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.async.Async
import needletail.http._
import needletail.testing.Suite

/** Calls over pooled connections to our own server. */
class ClientSuite extends Suite with Serving {

  private val handler: Handler = request =>
    request.path match {
      case "/echo"   => request.body.bytes.map(b => Response.ok.bytes(b))
      case "/pieces" =>
        Response.ok.stream(ByteStream.fromIterator(Iterator("one ", "two ", "three").map(_.getBytes)))
      case "/headers" =>
        Response.ok(request.headers.toList.map { case (n, v) => s"$n=$v" }.mkString("\n"))
      case "/method" => Response.ok(request.method.name).header("X-Method", request.method.name)
      case "/none"   => Response(Status.NoContent)
      case "/slow"   => Async.sleep(200.millis).map(_ => Response.ok("slow"))
      case "/big"    => Response.ok.bytes(new Array[Byte](3000000))
      case path      => Response.ok(path)
    }

  test("a call from any thread, and the connection is used again") {
    serving(handler) { (server, client) =>
      assertEquals(Await.result(client.get(s"${server.url}/hello").future, 5.seconds).text, "/hello")
      for (i <- 1 to 10) assertEquals(client.get(s"${server.url}/$i").await().text, s"/$i")
      val s = client.statistics.head
      assertEquals((s.calls, s.failures, s.opened, s.open, s.idle, s.inFlight), (11L, 0L, 1L, 1, 1, 0))
      assertEquals(s.host, server.url)
    }
  }
}
