package needletail.server.exchange

import needletail.server.config.ServerConfig
import needletail.server.operations.Log
import needletail.server.session.FakeWire

import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.util.Random

import needletail.async.Async
import needletail.http._
import needletail.testing.Suite

/** Replies that consist of the content of their own request, which passes without an array of its own. */
class EchoedContentSuite extends Suite {
  private val config = ServerConfig(maxBody = 1 << 20, maxPendingOutput = 100000, log = Log.none)

  private val open: Handler  = r => Response.ok.stream(r.body.stream)
  private val fixed: Handler = r =>
    if (r.body.length < 0) open(r) else Response.ok.stream(r.body.stream, r.body.length)

  private def post(content: String) =
    s"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${content.length}\r\n\r\n$content"
  private def chunked(content: String) =
    content
      .grouped(7000)
      .map(part => s"${part.length.toHexString}\r\n$part\r\n")
      .mkString("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "", "0\r\n\r\n")

  private def text(random: Random, length: Int) =
    new String(Array.fill(length)(('a' + random.nextInt(26)).toByte), ISO_8859_1)

  /** The contents of the replies, whatever their framing. */
  private def contents(output: String): List[String] =
    if (output.isEmpty) Nil
    else {
      val end    = output.indexOf("\r\n\r\n") + 4
      val head   = output.substring(0, end)
      val length = "Content-Length: (\\d+)".r.findFirstMatchIn(head).map(_.group(1).toInt)
      assert(head.startsWith("HTTP/1.1 200 "), head)
      length match {
        case Some(n) => output.substring(end, end + n) :: contents(output.substring(end + n))
        case None    =>
          val all  = new StringBuilder
          var at   = end
          var size = 1
          while (size > 0) {
            val line = output.indexOf("\r\n", at)
            size = Integer.parseInt(output.substring(at, line), 16)
            all.append(output.substring(line + 2, line + 2 + size))
            at = line + 2 + size + 2
          }
          all.toString :: contents(output.substring(at))
      }
    }

  test("contents of all sizes come back, however they arrive, and requests that follow are served") {
    for (seed <- 1 to 60) {
      val random = new Random(seed)
      val sent   = List.fill(4)(text(random, List(1, 500, 16384, 16385, 70000, 300000)(random.nextInt(6))))
      val bytes  = sent.map(c => if (random.nextInt(3) == 0) chunked(c) else post(c)).mkString
      val wire   = new FakeWire(if (random.nextBoolean()) fixed else open, config)
      val got    = new StringBuilder
      var at     = 0
      while (at < bytes.length) {
        val n = 1 + random.nextInt(if (random.nextBoolean()) 100 else 200000)
        wire.stuck = random.nextInt(4) == 0
        wire.send(bytes.substring(at, math.min(bytes.length, at + n)))
        if (wire.stuck) wire.unstick()
        at += n
        got.append(wire.output)
      }
      assertEquals(contents(got.toString), sent, s"seed $seed")
      assert(!wire.isFinished, s"seed $seed")
    }
  }

  test("a handler that has read the beginning itself sends the rest") {
    val wire = new FakeWire(
      r => r.body.stream.next().map(first => Response.ok(s"first ${first.get.length}").stream(r.body.stream)),
      config
    )
    wire.send(post("x" * 50000).take(200))
    wire.send(post("x" * 50000).drop(200))
    val all = wire.output
    assert(contents(all).head.forall(_ == 'x') && contents(all).head.length < 50000, all.take(300))
  }

  test("content that is longer than was announced breaks the reply off") {
    val wire = new FakeWire(r => Response.ok.stream(r.body.stream, 40000), config)
    wire.send(post("x" * 50000))
    assert(!wire.output.contains("x"))
    assert(wire.isFinished)
  }

  test("content that is passed on as it comes is not counted as held") {
    val wire = new FakeWire(fixed, config)
    val all  = post("x" * 200000)
    wire.send(all.take(100000))
    assertEquals(wire.context.memory.held, 0L)
    wire.send(all.drop(100000))
    assertEquals(contents(wire.output).map(_.length), List(200000))
  }

  test("only from a client that takes its reply is more read at once than from others") {
    val wire = new FakeWire(fixed, config)
    val all  = post("x" * 200000)
    wire.send(all.take(1000))
    assert(wire.expected > 190000, wire.expected)
    wire.expected = 0
    wire.stuck = true
    wire.send(all.slice(1000, 31000)).send(all.slice(31000, 61000))
    assert(wire.session.wantsInput)
    assertEquals(wire.expected, 0)
    wire.unstick().send(all.slice(61000, 91000))
    assert(wire.expected > 100000, wire.expected)
  }

  test("a reader beside the reply is refused while the reply waits") {
    var beside: Async[Option[Array[Byte]]] = null
    var request: Request                   = null
    val wire                               = new FakeWire(r => { request = r; fixed(r) }, config)
    val all                                = post("x" * 200000)
    wire.send(all.take(100))
    beside = request.body.stream.next()
    assert(beside.resultOrNull.error.isInstanceOf[IllegalStateException])
    wire.send(all.drop(100))
    assertEquals(contents(wire.output).map(_.length), List(200000))
  }
}
