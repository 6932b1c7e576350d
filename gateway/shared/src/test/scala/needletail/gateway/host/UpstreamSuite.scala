package needletail.gateway.host

import java.net.{InetAddress, InetSocketAddress, ServerSocket, Socket, SocketTimeoutException}
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.async.Async
import needletail.gateway.{FrontProtocol, Gateway}
import needletail.gateway.serve.GatewayConfig
import needletail.http.{Handler, Response}
import needletail.io.Address
import needletail.server.{RunningServer, ServerConfig}

/** Requests handed on to FastCGI and SCGI servers: our own programs behind our own server. */
class UpstreamSuite extends Hosted {
  private val config = UpstreamConfig(host = hostConfig)

  private val atOnce, most = new AtomicInteger

  private val program: Handler = request =>
    request.path match {
      case "/echo" => Response.ok.header("X-Length", request.body.length.toString).stream(request.body.stream)
      case "/slow" =>
        most.accumulateAndGet(atOnce.incrementAndGet(), math.max(_, _))
        Async.sleep(300.millis).map { _ =>
          atOnce.decrementAndGet()
          Response.ok("slow")
        }
      case "/where" =>
        Response.ok(
          s"${request.method} ${request.path} ${request.query} ${request.connection.remoteAddress} ${request.header("x-a")}"
        )
      case path => Response.ok(path)
    }

  private def behind[A](
      front: Address => FrontProtocol,
      handler: Handler = program
  )(body: RunningServer => A): A = {
    val server = Gateway.start(
      handler,
      front(Address.Tcp("127.0.0.1", 0)),
      GatewayConfig(server = ServerConfig(log = log, loops = 1))
    )
    try body(server)
    finally Await.result(server.close(), 20.seconds)
  }

  private val fronts = List[(String, Address => FrontProtocol, Address => needletail.routing.Routes)](
    ("FastCGI", FrontProtocol.FastCgi(_), address => fastcgi("/app", address, config)),
    ("SCGI", FrontProtocol.Scgi(_), address => scgi("/app", address, config))
  )

  for ((name, front, routes) <- fronts) {
    test(s"$name: a request and its answer") {
      behind(front) { program =>
        serving(routes(program.address)) { server =>
          val answer = get(server, "/app/where?q=1", "X-A: b")
          assertEquals(answer.status, 200, answer.raw + log.text)
          assert(
            answer.body.matches("GET (/app)?/where Some\\(q=1\\) 127.0.0.1:\\d+ Some\\(b\\)"),
            answer.body
          )
          assertEquals(get(server, "/app/where").status, 200)
          assertEquals(get(server, "/elsewhere").status, 404)
        }
      }
    }

    test(s"$name: content both ways, with its length and without") {
      behind(front) { program =>
        serving(routes(program.address)) { server =>
          val text   = "0123456789" * 100000
          val answer = post(server, "/app/echo", text)
          assertEquals((answer.status, answer.header("X-Length")), (200, Some(text.length.toString)))
          assert(answer.body == text, s"${answer.body.length} bytes")
          val chunked = ask(
            server,
            "POST /app/echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n" +
              ("186a0\r\n" + "x" * 100000 + "\r\n") * 5 + "0\r\n\r\n"
          )
          assertEquals((chunked.header("X-Length"), chunked.body.length), (Some("500000"), 500000))
        }
      }
    }

    test(s"$name: many at once") {
      behind(front) { program =>
        serving(routes(program.address)) { server =>
          val right   = new AtomicInteger
          val threads = List.tabulate(8) { i =>
            val thread = new Thread(() =>
              for (k <- 1 to 25)
                if (get(server, s"/app/$i/$k").body.endsWith(s"/$i/$k")) { right.incrementAndGet(); () }
            )
            thread.start()
            thread
          }
          threads.foreach(_.join())
          assertEquals(right.get, 200)
        }
      }
    }
  }

  /** An address that takes no more connections and refuses none, for `body`. */
  private def silent[A](body: Address => A): A = {
    val listener = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))
    var filling  = List.empty[Socket]
    try {
      var isFull = false
      while (!isFull && filling.length < 20) {
        val socket = new Socket()
        filling ::= socket
        try socket.connect(new InetSocketAddress("127.0.0.1", listener.getLocalPort), 200)
        catch { case _: SocketTimeoutException => isFull = true }
      }
      assert(isFull, "it still takes connections")
      body(Address.Tcp("127.0.0.1", listener.getLocalPort))
    } finally {
      filling.foreach(_.close())
      listener.close()
    }
  }

  test("addresses that do not answer share the time for connecting, and leave some for one that does") {
    val up                                                = config.copy(connectTimeout = 3.seconds)
    def routes(kind: Int, first: Address, more: Address*) =
      if (kind == 0) fastcgi("/app", Upstream(first, more*), up) else scgi("/app", Upstream(first, more*), up)
    silent { a =>
      for (kind <- 0 to 1) {
        serving(routes(kind, a, a, a, a, a)) { server =>
          quick(12.seconds)(assertEquals(get(server, "/app/x").status, 502))
        }
        behind(fronts(kind)._2) { program =>
          serving(routes(kind, a, a, program.address)) { server =>
            quick(12.seconds)(assertEquals(get(server, "/app/x").status, 200))
          }
        }
      }
    }
  }

  test("FastCGI: connections are kept and reused, as many as there are concurrent requests") {
    behind(FrontProtocol.FastCgi(_)) { program =>
      serving(fastcgi("/app", program.address, config)) { server =>
        for (_ <- 1 to 20) get(server, "/app/x")
        val used = Await.result(program.statistics, 20.seconds)
        assert(used.connectionsTotal <= 2, used) // one for each of our loops
      }
    }
  }

  test("FastCGI: several requests share a connection where the server says that they can") {
    behind(FrontProtocol.FastCgi(_)) { program =>
      val shared = config.copy(connections = 1, multiplex = 8)
      serving(fastcgi("/app", program.address, shared)) { server =>
        get(server, "/app/x") // which asks
        get(server, "/app/x")
        val threads = List.fill(6) {
          val thread = new Thread(() => { get(server, "/app/slow"); () })
          thread.start()
          thread
        }
        threads.foreach(_.join())
        assert(most.get > 2, s"${most.get} at once")
        val used = Await.result(program.statistics, 20.seconds)
        assert(used.connectionsTotal <= 4, used)
      }
    }
  }
}
