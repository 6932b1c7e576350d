package needletail.examples.demo

import java.util.concurrent.atomic.AtomicReference

import scala.annotation.tailrec

import needletail.async.Async
import needletail.client.Client
import needletail.examples.services.Running
import needletail.json.Json
import needletail.http.{ByteStream, Method}
import needletail.io.Address
import needletail.server.{Log, RunningServer, Server, ServerConfig}
import needletail.testing.Suite

/** All of the demo, over sockets, as the page sees it. */
class DemoSuite extends Suite with Running {
  private def open[A](body: (Demo, RunningServer, Client) => A): A = {
    val demo   = new Demo(0, Log.none)
    val config = demo.config(ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 1))
    val server = Server(demo.routes, config).start()
    try {
      demo.opened(server)
      asking(client => body(demo, server, client))
    } finally {
      await(server.close())
      demo.close()
    }
  }

  /** What the page is told, the last of it. */
  private def watching[A](server: RunningServer, client: Client)(body: (() => Json) => A): A = {
    val last                                                  = new AtomicReference[Json](Json.Null)
    def read(stream: ByteStream, before: String): Async[Unit] = stream.next().flatMap {
      case None        => Async.unit
      case Some(piece) =>
        val text   = before + new String(piece, "UTF-8")
        val events = text.split("\n\n", -1)
        for (event <- events.init; line <- event.linesIterator if line.startsWith("data: "))
          Json.parse(line.drop(6)).foreach(json => if (json.get("kinds").isDefined) last.set(json))
        read(stream, events.last)
    }
    client.run(client.get(s"${server.url}/live/events").stream.flatMap(r => read(r.body, "")))
    body(() => last.get)
  }

  @tailrec private def at(json: Json, path: String*): Option[Json] = path match {
    case Seq() => Some(json)
    case _     =>
      json.get(path.head) match {
        case None        => None
        case Some(inner) => at(inner, path.tail*)
      }
  }

  private def number(json: Json, path: String*): Double =
    at(
      json,
      path*
    ).flatMap(_.as[Double].toOption).getOrElse(Double.NaN) // nothing compares to it: it waits for more

  test(
    "customers are served; search hangs: its errors grow while index and payments go on; and it recovers"
  ) {
    open { (demo, server, client) =>
      def set(what: String) =
        assertEquals(client.call(Method.PUT, s"${demo.controlUrl}/situation?$what").await().status.code, 200)
      set("customers=60")
      watching(server, client) { last =>
        for (kind <- Kind.all) {
          eventually(number(last(), "kinds", kind.name, "good") > 10, last())
          eventually(number(last(), "kinds", kind.name, "p50") > 0, last())
        }
        assert(number(last(), "connections") > 0, last())

        set("down=true")
        eventually(number(last(), "kinds", "search", "errors") > 50, last())
        eventually(number(last(), "kinds", "search", "good") == 0, last())
        for (kind <- List("index", "payments")) {
          assert(number(last(), "kinds", kind, "good") > 10, last())
          // none, but where the machine stands still for a while the store may refuse some
          assert(
            number(last(), "kinds", kind, "errors") * 10 < number(last(), "kinds", "search", "errors"),
            last()
          )
        }
        assert(
          at(
            last(),
            "kinds",
            "search",
            "failure"
          ).flatMap(_.as[String].toOption).exists(_.contains("The search service")),
          last()
        )

        set("down=false")
        eventually(number(last(), "kinds", "search", "good") > 10, last())
      }
    }
  }

  test("the page is whole in itself, and tells the browser to fetch nothing from elsewhere") {
    open { (demo, server, client) =>
      val page = client.get(s"${server.url}/live").await()
      assertEquals(page.header("Content-Type"), Some("text/html; charset=utf-8"))
      val policy = page.header("Content-Security-Policy").getOrElse("")
      assert(
        policy.startsWith("default-src 'none'") && policy.contains(s"connect-src 'self' ${demo.controlUrl}"),
        policy
      )
      assert(page.text.contains("<h1>") && page.text.trim.endsWith("</html>"))
      val fetched = """(?:src|href)\s*=\s*"([^"]*)"""".r.findAllMatchIn(page.text).map(_.group(1)).toList
      assertEquals(fetched.filterNot(_.startsWith("data:")), Nil)
      assert(
        !page.text.contains("/*STYLE*/") && !page.text.contains("/*SCRIPT*/"),
        "style and script are in it"
      )
    }
  }

  test("what administrators may do is on loopback, on a port of its own, and not for other sites' pages") {
    open { (demo, server, client) =>
      assertEquals(client.get(s"${demo.controlUrl}/ready").await().text, "ready\n")
      assert(client.get(s"${demo.controlUrl}/metrics").await().text.contains("needletail_requests_total"))
      assertEquals(client.get(s"${server.url}/situation").await().status.code, 404)
      val foreign =
        client.get(s"${demo.controlUrl}/situation").header("Origin", "http://elsewhere.example").await()
      assertEquals(foreign.status.code, 403)
    }
  }

  test("a drain ends the page's events, so that it does not wait for them") {
    open { (_, server, client) =>
      val events = client.run(client.get(s"${server.url}/live/events").stream.flatMap(_.body.next()))
      assert(await(events).exists(piece => new String(piece, "UTF-8").contains("event: hello")))
      await(server.drain())
    }
  }
}
