package needletail.conformance.load

import scala.concurrent.duration._

import needletail.conformance.client.{Ask, ReplyReader, ReplyRules, Seen, Wire}
import needletail.conformance.harness.{Background, ConformanceSuite, Program}
import needletail.conformance.harness.Message.{chunked, echo, get, target}
import needletail.conformance.harness.Outcome._
import needletail.testing.Pause

/** Clients that take their time: RFC 9110 §15.5.9, RFC 9112 §9.5. All run side by side, as most of each is waiting. */
class SlowClientSuite extends ConformanceSuite {

  /** What a loaded machine may add, in milliseconds. */
  private val slack = 20000L

  /** The connection ends in time: with 408 or 400, or without a word; never as if the request were whole. */
  private def endsWithin(program: Program, millis: Long)(what: Wire => Unit): Unit = {
    val wire  = program.connect()
    val start = System.nanoTime()
    try {
      what(wire)
      val reader = new ReplyReader(wire, replyMillis = millis + slack + 20000)
      reader.next(Ask.get) match {
        case Seen.Ended | Seen.Reset => ()
        case Seen.Answer(got)        =>
          assert(!got.whole || got.status == 408 || got.status == 400, got.toString)
          if (got.whole) assertEquals(ReplyRules.violations(got, Ask.get).toList, Nil)
          if (got.whole) assert(reader.next(Ask.get) == Seen.Ended, "the connection stays open")
        case other => fail(s"$other")
      }
      val took = (System.nanoTime() - start) / 1000000
      assert(took < millis + slack, s"the connection ended after $took ms instead of $millis")
    } finally wire.close()
  }

  /** Sends the parts with a pause before each, for as long as the peer takes them. */
  private def drip(wire: Wire, parts: Iterator[String], pauseMillis: Long): Unit = {
    var isTaken = true
    while (isTaken && parts.hasNext) {
      Pause(pauseMillis.millis)
      isTaken = wire.send(parts.next())
    }
  }

  /** The same beside what the test does. */
  private def dripBeside(wire: Wire, parts: Iterator[String], pauseMillis: Long): Unit = {
    Background.run("drip")(drip(wire, parts, pauseMillis))
    ()
  }

  private val head = Program.headTimeoutMillis.toLong
  private val body = Program.bodyTimeoutMillis.toLong
  private val idle = Program.idleTimeoutMillis.toLong

  timed("a connection on which nothing comes ends (STATED, RFC 9112 §9.5)") { program =>
    endsWithin(program, math.max(idle, head))(_ => ())
  }

  timed("half a request line ends the connection (STATED, RFC 9110 §15.5.9)") { program =>
    endsWithin(program, head)(wire => { wire.send("GET /plain"); () })
  }

  timed("half a head ends the connection (STATED, RFC 9110 §15.5.9)") { program =>
    endsWithin(program, head)(wire => { wire.send("GET /plaintext HTTP/1.1\r\nHost: a\r\n"); () })
  }

  timed("a head that lacks its last byte ends the connection (STATED, RFC 9110 §15.5.9)") { program =>
    endsWithin(program, head)(wire => { wire.send(get().dropRight(1)); () })
  }

  timed("a head dripped byte by byte ends the connection (STATED, RFC 9110 §15.5.9)") { program =>
    endsWithin(program, head)(wire => dripBeside(wire, get("X: " + "v" * 200).iterator.map(_.toString), 150))
  }

  timed("fields dripped line by line end the connection (STATED, RFC 9110 §15.5.9)") { program =>
    endsWithin(program, head) { wire =>
      wire.send("GET /plaintext HTTP/1.1\r\nHost: a\r\n")
      dripBeside(wire, Iterator.continually("X: y\r\n"), 300)
    }
  }

  timed("empty lines dripped before a request end the connection (STATED, RFC 9112 §2.2)") { program =>
    endsWithin(program, idle + head)(wire => dripBeside(wire, Iterator.continually("\r\n"), 300))
  }

  timed("a second request that stops ends the connection (STATED, RFC 9110 §15.5.9)") { program =>
    endsWithin(program, head) { wire =>
      wire.send(get())
      assertEquals(reply(new ReplyReader(wire)).text, Hello)
      wire.send("GET /plaintext HTTP/1.1\r\n")
      ()
    }
  }

  timed("a body that doesn't begin ends the connection (STATED, RFC 9110 §15.5.9)") { program =>
    endsWithin(program, body)(wire => { wire.send(echo("Content-Length: 5")); () })
  }

  timed("a body that stops ends the connection (STATED, RFC 9110 §15.5.9)") { program =>
    endsWithin(program, body)(wire => { wire.send(echo("Content-Length: 500000") + "x" * 1000); () })
  }

  timed("a body that nobody reads and that stops ends the connection (STATED)") { program =>
    val wire = program.connect()
    try {
      wire.send("POST /plaintext HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n" + "x" * 100)
      val reader = new ReplyReader(wire)
      assertEquals(reply(reader).status, 405)
      val start    = System.nanoTime()
      val (_, how) = wire.discard(Wire.in(body + idle + slack))
      assert(how != Wire.Silence, s"open ${(System.nanoTime() - start) / 1000000} ms later")
    } finally wire.close()
  }

  timed("chunks that don't begin end the connection (STATED, RFC 9110 §15.5.9)") { program =>
    endsWithin(program, body)(wire => { wire.send(chunked("")); () })
  }

  timed("a chunk that stops ends the connection (STATED, RFC 9110 §15.5.9)") { program =>
    endsWithin(program, body)(wire => { wire.send(chunked("64\r\nabc")); () })
  }

  timed("a missing last chunk ends the connection (STATED, RFC 9110 §15.5.9)") { program =>
    endsWithin(program, body)(wire => { wire.send(chunked("5\r\nhello\r\n")); () })
  }

  timed("a missing end of the trailers ends the connection (STATED, RFC 9110 §15.5.9)") { program =>
    endsWithin(program, body)(wire => { wire.send(chunked("5\r\nhello\r\n0\r\nX: y\r\n")); () })
  }

  timed("a body that never comes after 100 ends the connection (STATED, RFC 9110 §15.5.9)") { program =>
    endsWithin(program, body)(wire => { wire.send(echo("Expect: 100-continue", "Content-Length: 5")); () })
  }

  timed("a body with pauses shorter than the timeout is taken (STATED)") { program =>
    val wire = program.connect()
    try {
      wire.send(echo("Content-Length: 5"))
      drip(wire, "hello".iterator.map(_.toString), body / 4)
      assertEquals(reply(new ReplyReader(wire)).text, "hello")
    } finally wire.close()
  }

  timed("chunks with pauses shorter than the timeout are taken (STATED)") { program =>
    val wire = program.connect()
    try {
      wire.send(chunked(""))
      drip(wire, Iterator("5\r\nhe", "llo\r\n", "1\r\n", "!\r\n0\r\n", "\r\n"), body / 4)
      assertEquals(reply(new ReplyReader(wire)).text, "hello!")
    } finally wire.close()
  }

  timed("an idle connection stays until the timeout, then ends (STATED, RFC 9112 §9.5)") { program =>
    val wire   = program.connect()
    val reader = new ReplyReader(wire)
    try {
      wire.send(get())
      assertEquals(reply(reader).text, Hello)
      Pause((idle / 4).millis)
      wire.send(get())
      assertEquals(reply(reader).text, Hello)
      val (count, how) = wire.discard(Wire.in(idle + slack))
      assert(how == Wire.End, s"not ended (state $how) ${idle + slack} ms later")
      assertEquals(count, 0L)
    } finally wire.close()
  }

  timed("a reader that is slow but steady gets the whole reply (STATED)") { program =>
    val wire = program.connect(receiveBuffer = 16384)
    try {
      val size = 3000000
      wire.send(target(s"/big?bytes=$size"))
      val block    = new Array[Byte](16384)
      var received = 0L
      var state    = 0
      val end      = Wire.in(30000)
      while (received < size && state >= 0) {
        state = wire.read(block, 0, block.length, end)
        if (state > 0) received += state
        Pause(15.millis)
      }
      assert(received >= size, s"$received bytes, then $state")
    } finally wire.close()
  }
}
