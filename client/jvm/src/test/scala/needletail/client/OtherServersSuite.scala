package needletail.client

import java.io.File
import java.nio.file.Files

import scala.concurrent.duration._

import needletail.async.Async
import needletail.http.{ByteStream, Status}
import needletail.testing.{Pause, Suite, TemporaryDirectories}

/** The client against nginx and Node, where they are installed. */
class OtherServersSuite extends Suite with Serving with OtherPrograms with TemporaryDirectories {

  private def running[A](command: String*)(body: Client => A)(implicit port: Int): A =
    listening(port, command: _*)(calling()(body))

  private def temporary[A](body: File => A): A = body(temporaryDirectory().toFile)

  private val rawBytes = Array.tabulate(300000)(i => (i * 31).toByte)

  test("nginx: files, keep-alive and its end, HEAD, ranges, redirections, errors, a body that is refused") {
    val nginx = find("nginx")
    assume(nginx.isDefined, "nginx is not installed")
    implicit val port = freePort()
    temporary { folder =>
      Files.write(new File(folder, "data").toPath, rawBytes)
      new File(folder, "directory").mkdir()
      val command = nginxCommand(
        nginx.get,
        folder,
        s"""keepalive_requests 5; client_max_body_size 1k;
           |server { listen 127.0.0.1:$port; root $folder;
           |  location = /hello { return 200 "Hello, World!"; }
           |  location = /moved { return 302 /hello; }
           |  location = /none { return 204; }
           |}""".stripMargin
      )
      running(command: _*) { client =>
        val service = client.service(s"http://127.0.0.1:$port")
        for (_ <- 1 to 23) assertEquals(service.get("/hello").await().text, "Hello, World!")
        assertEquals(service.statistics.opened, 5L, "nginx closes after five; the client notices in time")
        assert(java.util.Arrays.equals(service.get("/data").await().bytes, rawBytes))
        val head = service.head("/data").await()
        assertEquals((head.bytes.length, head.header("Content-Length")), (0, Some("300000")))
        val part = service.get("/data").header("Range", "bytes=10-19").await()
        assertEquals((part.status, part.bytes.toSeq), (Status.PartialContent, rawBytes.slice(10, 20).toSeq))
        val etag = head.header("ETag").get
        assertEquals(service.get("/data").header("If-None-Match", etag).await().status, Status.NotModified)
        assertEquals(service.get("/moved").await().text, "Hello, World!")
        assertEquals(service.get("/directory?x").await().status, Status.Forbidden)
        assertEquals(service.get("/none").await().status, Status.NoContent)
        assertEquals(service.get("/nothing").await().status, Status.NotFound)
        assertEquals(service.post("/hello").body(new Array[Byte](900)).await().status.code, 200)
        assertEquals(
          service.post("/hello").body(new Array[Byte](2000)).await().status,
          Status.ContentTooLarge
        )
        client.await(Async.all((1 to 200).map(_ => service.get("/hello").text)))
        val s = service.statistics
        assertEquals((s.failures, s.retries), (0L, 0L))
      }
    }
  }

  test("Node: chunks both ways, trailers, 100-continue, a body without an end, keep-alive that runs out") {
    val node = find("node")
    assume(node.isDefined, "Node is not installed")
    implicit val port = freePort()
    temporary { folder =>
      val script = new File(folder, "server.js")
      write(
        script,
        s"""const http = require('http');
           |const server = http.createServer((q, r) => {
           |  if (q.url == '/echo') q.pipe(r);
           |  else if (q.url == '/trailers') {
           |    r.writeHead(200, { Trailer: 'Sum' }); r.write('a'); r.write('b'); r.addTrailers({ Sum: '2' }); r.end();
           |  } else if (q.url == '/close') { r.useChunkedEncodingByDefault = false; r.shouldKeepAlive = false; r.write('until the '); r.end('end'); }
           |  else if (q.url == '/early') { r.writeEarlyHints({ link: '</x>; rel=preload' }); r.end('hinted'); }
           |  else if (q.url == '/cut') { r.writeHead(200, { 'Content-Length': 100 }); r.write('abc'); setTimeout(() => q.socket.destroy(), 20); }
           |  else r.end('hello');
           |});
           |server.keepAliveTimeout = 150;
           |server.listen($port, '127.0.0.1');""".stripMargin
      )
      running(node.get, script.getPath) { client =>
        val service = client.service(s"http://127.0.0.1:$port")
        assertEquals(service.get("/").await().text, "hello")
        assert(java.util.Arrays.equals(service.post("/echo").body(rawBytes).await().bytes, rawBytes))
        def pieces = ByteStream.fromIterator(rawBytes.grouped(7000))
        assert(java.util.Arrays.equals(service.post("/echo").body(pieces).await().bytes, rawBytes))
        assert(java.util.Arrays.equals(
          service.post("/echo").body(pieces).expectContinue.await().bytes,
          rawBytes
        ))
        val answer = service.get("/trailers").await()
        assertEquals((answer.text, answer.trailers.get("Sum")), ("ab", Some("2")))
        assertEquals(service.get("/close").await().text, "until the end")
        assertEquals(service.get("/early").await().text, "hinted")
        val e = intercept[ClientError.ConnectionLost](service.get("/cut").once.await())
        assert(e.getMessage.contains("97 bytes before its end"), e.getMessage)
        // Node closes idle connections: whenever that is, no call fails of it
        for (wait <- List(100, 140, 145, 150, 155, 160, 200)) {
          Pause(wait.millis)
          assertEquals(service.get("/").timeout(20.seconds).await().text, "hello")
          assertEquals(service.post("/echo").body("x").repeatable.await().text, "x")
        }
      }
    }
  }
}
