package needletail.gateway.host

import java.io.IOException

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.gateway.{FrontProtocol, Gateway}
import needletail.gateway.format.fastcgi.{FastCgiRecord, FastCgiWriter}
import needletail.gateway.serve.GatewayConfig
import needletail.http.text.ByteWriter
import needletail.http.{ByteStream, Handler, Response}
import needletail.io.Address
import needletail.server.{RawClient, RunningServer, ServerConfig}

/** FastCGI servers that break off a response, and say so only by the exit status of the program. */
class BrokenOffResponseSuite extends AgainstScripted {

  private def endWith(c: ScriptedServer.Conversation, id: Int, appStatus: Int, endsOutput: Boolean): Unit = {
    val w = new ByteWriter(100)
    if (endsOutput) FastCgiWriter.endStream(w, FastCgiRecord.Stdout, id)
    FastCgiWriter.endRequest(w, id, appStatus, FastCgiRecord.RequestComplete)
    c.send(java.util.Arrays.copyOf(w.bytes, w.length))
  }

  private def isCut(answer: Answer): Boolean =
    answer.status == 502 || (answer.raw.contains("half") && !answer.raw.endsWith("0\r\n\r\n"))

  test("a request that ends with a status other than 0 before its output has ended was broken off") {
    val (open, whole) = ("Content-Type: text/plain\r\n", "Content-Type: text/plain\r\n\r\nwhole")
    val responses     = Map(
      "/none"   -> ("", 1, false),
      "/head"   -> (open, 1, false),
      "/middle" -> (s"$open\r\nhalf", 1, false),
      "/high"   -> (s"$open\r\nhalf", 1 << 24, false),
      "/ended"  -> (whole, 1, true),  // as libfcgi does when a program exits with 1
      "/zero"   -> (whole, 0, false), // as PHP does
      "/sized"  -> ("Content-Length: 5\r\n\r\nwhole", 1, false)
    )
    against() { c =>
      while (true) {
        val asked                       = c.request()
        val (output, status, endsFirst) = responses(asked.parameters("PATH_INFO"))
        c.content()
        if (output.nonEmpty) c.stdout(asked.id, output)
        endWith(c, asked.id, status, endsFirst)
      }
    } { (server, _) =>
      for (path <- List("/none", "/head")) assertEquals(get(server, s"/app$path").status, 502, path)
      for (path <- List("/middle", "/high")) {
        val answer = get(server, s"/app$path")
        assert(isCut(answer), s"$path: ${answer.raw}")
      }
      assert(log.text.contains("/app/middle: its response was cut off: it ended with status 1"), log.text)
      for (path <- List("/ended", "/zero", "/sized")) {
        val answer = get(server, s"/app$path")
        assertEquals((answer.status, answer.body), (200, "whole"), path)
      }
    }
  }

  test("a response that our own server breaks off on a shared connection is not taken for whole") {
    held = null
    val own = started(FrontProtocol.FastCgi(_), Address.Tcp("127.0.0.1", 0))
    try
      serving(
        fastcgi("/app", own.address, config.copy(connections = 1, multiplex = 4)),
        serverConfig.copy(loops = 1)
      ) { server =>
        assertEquals(get(server, "/app/first").status, 200) // which asks whether connections are shared
        val other = new RawClient(server.port).send("GET /app/held HTTP/1.1\r\nHost: a\r\n\r\n")
        eventually(held != null)
        val broken = brokenOff(server)
        assert(isCut(broken), broken.raw)
        assertEquals(get(server, "/app/release").body, "released")
        assert(other.readUntil("held").contains("200"))
        other.close()
      }
    finally Await.result(own.close(), 20.seconds)
  }

  test("SCGI: a response that is broken off at a Unix socket looks whole, which is logged once a minute") {
    val unix = Address.Unix(temporaryDirectory().resolve("scgi.sock").toString)
    for (address <- List(Address.Tcp("127.0.0.1", 0), unix)) {
      val own = started(FrontProtocol.Scgi(_), address)
      try
        serving(scgi("/app", own.address, config), serverConfig.copy(loops = 1)) { server =>
          for (_ <- 1 to 3)
            assertEquals(isCut(brokenOff(server)), address ne unix)
        }
      finally Await.result(own.close(), 20.seconds)
      val told =
        log.text.split('\n').count(_.contains("a response was broken off over SCGI at a Unix socket"))
      assertEquals(told, if (address eq unix) 1 else 0)
    }
  }

  /** A response that breaks off when half of it is with the client. */
  private def brokenOff(server: RunningServer): Answer = {
    val client = new RawClient(server.port)
    client.socket.setSoTimeout(20000)
    val half =
      client.send("GET /app/breaks HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").readUntil("half")
    assertEquals(get(server, "/app/break").body, "breaks")
    try Answer(half + client.readAll())
    catch { case _: IOException => Answer(half) } // it was reset
    finally client.close()
  }

  @volatile private var held: AsyncPromise[Response]              = null
  @volatile private var broken: AsyncPromise[Option[Array[Byte]]] = null

  private def started(front: Address => FrontProtocol, address: Address): RunningServer = {
    val program: Handler = request =>
      request.path.stripPrefix("/app") match {
        case "/held" =>
          held = new AsyncPromise[Response]
          held
        case "/breaks" =>
          broken = new AsyncPromise[Option[Array[Byte]]]
          var left = List[Async[Option[Array[Byte]]]](Async.value(Some("half".getBytes)), broken)
          Response.ok.stream(new ByteStream {
            def next(): Async[Option[Array[Byte]]] = {
              val piece = left.head
              left = left.tail
              piece
            }
            def cancel(): Unit = ()
          })
        case "/break" =>
          broken.fail(new IllegalStateException("broken"))
          Response.ok("breaks")
        case "/release" =>
          held.succeed(Response.ok("held"))
          Response.ok("released")
        case path => Response.ok(path)
      }
    Gateway.start(program, front(address), GatewayConfig(server = ServerConfig(log = log, loops = 1)))
  }
}
