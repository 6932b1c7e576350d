package needletail.examples.cgihost

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.async.Async
import needletail.gateway.{FrontProtocol, Gateway, GatewayConfig}
import needletail.gateway.host.ProgramHostConfig
import needletail.http.Response
import needletail.io.Address
import needletail.routing.Routes
import needletail.server.{RawClient, RunningServer, Server, ServerConfig, ServerFixture}
import needletail.testing.Suite

class ProgramsSuite extends Suite {
  private def serving(body: RunningServer => Unit): Unit =
    ServerFixture.serving(Routes(Programs.own, Programs.cgiBin("examples/cgihost/cgi-bin", 4)))(body)

  private def ask(server: RunningServer, request: String): String = {
    val client = new RawClient(server.port)
    try client.send(request).readAll()
    finally client.close()
  }

  test("the program that says hello") {
    serving { server =>
      val reply = ask(server, "GET /cgi-bin/hello?Ann HTTP/1.0\r\n\r\n")
      assert(reply.startsWith("HTTP/1.1 200") && reply.endsWith("Hello, Ann, from 127.0.0.1.\n"), reply)
    }
  }

  test("the program that is sent something, and the one that is sent too much") {
    serving { server =>
      val small = ask(server, "POST /cgi-bin/upload HTTP/1.0\r\nContent-Length: 5\r\n\r\n12345")
      assert(small.startsWith("HTTP/1.1 201") && small.contains("5 bytes of something"), small)
      val large =
        ask(server, "POST /cgi-bin/upload HTTP/1.0\r\nContent-Length: 1048577\r\n\r\n" + "x" * 1048577)
      assert(large.startsWith("HTTP/1.1 413"), large)
    }
  }

  test("routes of our own beside them") {
    serving(server => assert(ask(server, "GET /health HTTP/1.0\r\n\r\n").endsWith("ok")))
  }

  test("a directory or a program that is not there is refused, unless nobody has asked for it") {
    def wrong(args: String*): Option[String] =
      Main.options.parse(args)
        .fold(problem => fail(problem.toString), Main.routes(_, ProgramHostConfig()))
        .left.toOption
    val nowhere = "/no/such/directory"
    for (option <- Seq("programs", "functions", "php"))
      assertEquals(
        wrong(s"--$option", nowhere),
        Some(s"option '--$option': $nowhere is not a readable directory")
      )
    assertEquals(
      wrong("--php", "examples", "--php-cgi", "/no/php-cgi"),
      Some("option '--php-cgi': /no/php-cgi is not an executable file")
    )
    assertEquals(wrong("--behind", "127.0.0.1:9", "--programs", nowhere).isDefined, true)
    assertEquals(wrong("--behind", "127.0.0.1:9"), None)
  }

  test("a FastCGI server for all other paths, several requests at once on one connection") {
    val app = Gateway.start(
      request => Async.sleep(100.millis).map(_ => Response.ok(s"${request.method} ${request.target}")),
      FrontProtocol.FastCgi(Address.Tcp("127.0.0.1", 0)),
      GatewayConfig(server = ServerConfig(loops = 1))
    )
    try {
      val routes = Routes(Programs.own, Programs.behind(Address.Tcp("127.0.0.1", app.port), multiplex = 8))
      val server = Server(routes, ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 1)).start()
      try {
        assert(ask(server, "GET /a?x HTTP/1.0\r\n\r\n").endsWith("GET /a?x"))
        val clients = (1 to 6).map(n => new RawClient(server.port).send(s"GET /$n HTTP/1.0\r\n\r\n") -> n)
        clients.foreach { case (client, n) => assert(client.readAll().endsWith(s"GET /$n"), n) }
        clients.foreach(_._1.close())
        assert(ask(server, "GET /health HTTP/1.0\r\n\r\n").endsWith("ok"))
        assertEquals(Await.result(app.statistics, 20.seconds).connectionsTotal, 1L)
      } finally { Await.result(server.close(), 20.seconds); () }
    } finally { Await.result(app.close(), 20.seconds); () }
  }
}
