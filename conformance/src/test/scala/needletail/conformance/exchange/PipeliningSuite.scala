package needletail.conformance.exchange

import java.util.concurrent.atomic.AtomicLong

import scala.concurrent.duration._

import needletail.conformance.client.{Ask, ReplyReader, Wire}
import needletail.conformance.harness.{Background, ConformanceSuite, MUST, Program, SHOULD}
import needletail.conformance.harness.Message.{chunked, echo, get, head, target}
import needletail.conformance.harness.Outcome._

// A row of a table is a line.
// format: off

/** RFC 9112 §9.3.2: requests sent without waiting for replies. */
class PipeliningSuite extends ConformanceSuite {
  private val two = Ask.get

  table("several requests in one write")(
    MUST("9112 §9.3.2", "two", get() + target("/json"), hello + json).asking(two, two),
    MUST("9112 §9.3.2", "the second closes", get() + get("Connection: close"), hello + hello.thenClosed).asking(two, two),
    MUST("9112 §9.6", "the first closes", get("Connection: close") + target("/json"), hello.thenClosed).asking(two),
    MUST("9112 §9.3.2", "bodies between",
      echo("Content-Length: 5") + "hello" + chunked("3\r\nabc\r\n0\r\n\r\n") + get(), ok("hello") + ok("abc") + hello)
      .asking(two, two, two),
    MUST("9112 §9.3.2", "HEAD between", get() + head("HEAD /plaintext HTTP/1.1", "Host: a") + target("/json"), hello + ok("") + json)
      .asking(Ask.get, Ask(head = true), Ask.get),
    MUST("9112 §9.3.2", "204 and 304 between",
      target("/status/204") + target("/status/304") + get(), status(204) + status(304) + hello).asking(two, two, two),
    MUST("9112 §9.3.2", "errors between",
      target("/nope") + head("PUT /json HTTP/1.1", "Host: a") + get(), status(404) + status(405) + hello).asking(two, two, two),
    MUST("9112 §9.3.2", "a streamed reply first",
      target("/big?bytes=70000") + target("/json"), status(200) + json).asking(two, two).unsplit,
    MUST("9112 §9.3.2", "a large echo first",
      echo("Content-Length: 70000") + "e" * 70000 + target("/json"), ok("e" * 70000) + json).asking(two, two).unsplit,
    SHOULD("9112 §2.2", "an empty line between", echo("Content-Length: 2") + "hi\r\n" + get(), ok("hi") + hello).asking(two, two),
    MUST("9112 §9.3.2", "the second is not HTTP", get() + "nonsense\r\n\r\n", hello + refused).asking(two, two),
    MUST("9112 §9.3.2", "the second has doubtful framing", get() + echo("Content-Length: 1, 2") + "ab", hello + refused).asking(two, two),
    MUST("9112 §9.3.2", "behind an error nothing is read", echo("Content-Length: x") + get() + get(), refused).asking(two),
    MUST("9112 §9.3.2", "the last in 1.0",
      get() + head("GET /plaintext HTTP/1.0"), hello + hello.thenClosed).asking(Ask.get, Ask(oneZero = true))
  )

  private def assertAll(program: Program, request: Int => String, count: Int, expected: Int => String): Unit = {
    val wire   = program.connect()
    val reader = new ReplyReader(wire)
    val writer = Background.run("pipelining") {
      wire.send((0 until count).map(request).mkString)
      ()
    }
    try
      (0 until count).foreach { i =>
        val got = reply(reader)
        assertEquals((i, got.status, got.text), (i, 200, expected(i)))
      }
    finally {
      wire.close()
      writer.join(5000)
    }
  }

  each("150 requests in one write (MUST, RFC 9112 §9.3.2)") { program =>
    assertAll(program, _ => get(), 150, _ => Hello)
  }

  each("20,000 requests without waiting (MUST, RFC 9112 §9.3.2)") { program =>
    assertAll(program, _ => get(), 20000, _ => Hello)
  }

  each("2,000 requests, each with a body of its own, come back in order (MUST, RFC 9112 §9.3.2)") { program =>
    def body(i: Int) = s"body $i " * (i % 40)
    assertAll(program, i => echo(s"Content-Length: ${body(i).length}") + body(i), 2000, body)
  }

  each("2,000 chunked requests come back in order (MUST, RFC 9112 §9.3.2)") { program =>
    def body(i: Int) = s"<$i>" * (1 + i % 30)
    assertAll(program, i => chunked(s"${body(i).length.toHexString};i=$i\r\n${body(i)}\r\n0\r\n\r\n"), 2000, body)
  }

  each("a request behind a body that is still coming waits its turn (MUST, RFC 9112 §9.3.2)") { program =>
    val wire   = program.connect()
    val reader = new ReplyReader(wire)
    try {
      wire.send(get() + echo("Content-Length: 10") + "hello")
      assertEquals(reply(reader).text, Hello)
      eventually(program.hasTaken(wire))
      wire.send("world" + target("/json"))
      assertEquals(reply(reader).text, "helloworld")
      assertEquals(reply(reader).text, Json)
    } finally wire.close()
  }

  timed("a client that sends and never reads is not read without end, nor does it hold up others (STATED)") { program =>
    val wire   = program.connect(receiveBuffer = 32768)
    val before = program.residentBytes.getOrElse(0L)
    val sent   = new AtomicLong
    val batch  = Wire.latin1(get() * 200)
    val limit  = 200L * 1024 * 1024
    val writer = Background.run("pipelining without reading") {
      while (sent.get < limit && wire.send(batch)) sent.addAndGet(batch.length.toLong)
    }
    try {
      untilStill(sent.get, 400.millis) // no more is taken
      assertServes(program)
      val grown = program.residentBytes.getOrElse(0L) - before
      assert(grown < 100L * 1024 * 1024, s"${grown / 1048576} MB more after ${sent.get / 1048576} MB of requests")
      assert(sent.get < limit, s"it took ${sent.get} bytes of requests whose replies nobody reads")
    } finally {
      wire.close()
      writer.join(5000)
    }
  }
}
