package needletail.conformance.exchange

import needletail.conformance.client.{Ask, Reply, ReplyReader, ReplyRules, Seen, Wire}
import needletail.conformance.harness.{ConformanceSuite, MAY, MUST, Message, Program}
import needletail.conformance.harness.Message.{echo, get, head}
import needletail.conformance.harness.Outcome._

// A row of a table is a line.
// format: off

/** RFC 9110 §10.1.1. */
class ExpectContinueSuite extends ConformanceSuite {
  private val expect = "Expect: 100-continue"

  table("a body sent without waiting")(
    MUST("9110 §10.1.1", "by length", echo(expect, "Content-Length: 5") + "hello", ok("hello")),
    MUST("9110 §10.1.1", "chunked", echo(expect, "Transfer-Encoding: chunked") + "5\r\nhello\r\n0\r\n\r\n", ok("hello")),
    MUST("9110 §10.1.1", "in another case", echo("Expect: 100-CONTINUE", "Content-Length: 5") + "hello", ok("hello")),
    MUST("9110 §10.1.1", "none indicated", get(expect), hello),
    MUST("9110 §10.1.1", "of no length", echo(expect, "Content-Length: 0"), ok("")),
    MUST("9110 §10.1.1", "HTTP/1.0", head("POST /echo HTTP/1.0", expect, "Content-Length: 5") + "hello", ok("hello").thenClosed),
    MUST("9110 §10.1.1", "to a resource that reads none", get(expect, "Content-Length: 5") + "hello", hello.asSaid),
    MUST("9110 §10.1.1", "to nothing", head("POST /nope HTTP/1.1", "Host: a", expect, "Content-Length: 5") + "hello", status(404)),
    MAY("9110 §10.1.1", "another expectation", echo("Expect: a-miracle", "Content-Length: 5") + "hello", ok("hello"), status(417)),
    MAY("9110 §10.1.1", "one more expectation",
      echo("Expect: 100-continue, a-miracle", "Content-Length: 5") + "hello", ok("hello"), status(417)),
    MAY("9110 §10.1.1", "a longer one", echo("Expect: 100-continued", "Content-Length: 5") + "hello", ok("hello"), status(417))
  )

  /** Sends the head, sees what comes, and sends the body when that is 100. Answers the final reply. */
  private def waiting(program: Program, request: String, body: String): (Seen, Option[Reply]) = {
    val wire   = program.connect()
    val reader = new ReplyReader(wire)
    try {
      wire.send(request)
      val first = reader.nextOfAny(Ask.of(request))
      first match {
        case Seen.Answer(interim) if interim.status == 100 =>
          assertEquals(ReplyRules.violations(interim, Ask.get).toList, Nil)
          wire.send(body + Message.next)
          val last = reply(reader)
          if (!last.closes(Ask.get)) assertEquals(reply(reader).text, Json)
          (first, Some(last))
        case _ => (first, None)
      }
    } finally wire.close()
  }

  private def assertContinues(program: Program, request: String, body: String): Unit = {
    val (first, last) = waiting(program, request, body)
    assert(last.isDefined, s"instead of 100: $first")
    last.foreach(reply => assertEquals((reply.status, reply.text), (200, "hello")))
  }

  each("100 comes before the body, by length (MUST, RFC 9110 §10.1.1)") { program =>
    assertContinues(program, echo(expect, "Content-Length: 5"), "hello")
  }

  each("100 comes before the body, chunked (MUST, RFC 9110 §10.1.1)") { program =>
    assertContinues(program, echo(expect, "Transfer-Encoding: chunked"), "5\r\nhello\r\n0\r\n\r\n")
  }

  each("100 comes whatever the case of the expectation (MUST, RFC 9110 §10.1.1)") { program =>
    assertContinues(program, echo("expect: 100-Continue", "Content-Length: 5"), "hello")
  }

  each("100 comes each time (MUST, RFC 9110 §10.1.1)") { program =>
    val wire   = program.connect()
    val reader = new ReplyReader(wire)
    try
      (1 to 20).foreach { _ =>
        wire.send(echo(expect, "Content-Length: 5"))
        reader.nextOfAny(Ask.get) match {
          case Seen.Answer(interim) => assertEquals(interim.status, 100)
          case other                => fail(s"instead of 100: $other")
        }
        wire.send("hello")
        assertEquals(reply(reader).text, "hello")
      }
    finally wire.close()
  }

  each("100 comes behind the replies to earlier requests (MUST, RFC 9112 §9.3.2)") { program =>
    val wire   = program.connect()
    val reader = new ReplyReader(wire)
    try {
      wire.send(get() + get() + echo(expect, "Content-Length: 5"))
      val seen = (1 to 3).map(_ => reader.nextOfAny(Ask.get)).map {
        case Seen.Answer(reply) => reply.status.toString
        case other              => other.toString
      }
      assertEquals(seen.toList, List("200", "200", "100"))
      wire.send("hello")
      assertEquals(reply(reader).text, "hello")
    } finally wire.close()
  }

  each("a head that comes byte by byte is continued (MUST, RFC 9110 §10.1.1)") { program =>
    val wire   = program.connect()
    val reader = new ReplyReader(wire)
    try {
      wire.drip(Wire.latin1(echo(expect, "Content-Length: 5")))
      reader.nextOfAny(Ask.get) match {
        case Seen.Answer(interim) => assertEquals(interim.status, 100)
        case other                => fail(s"instead of 100: $other")
      }
      wire.drip(Wire.latin1("hello"))
      assertEquals(reply(reader).text, "hello")
    } finally wire.close()
  }

  each("no 100 to HTTP/1.0, whose body comes later (MUST, RFC 9110 §10.1.1)") { program =>
    val wire = program.connect()
    try {
      wire.send(head("POST /echo HTTP/1.0", expect, "Content-Length: 5"))
      assertEquals(wire.discard(Wire.in(300)), (0L, Wire.Silence))
      wire.send("hello")
      val last = reply(new ReplyReader(wire), Ask(oneZero = true))
      assertEquals((last.status, last.text, last.interim.size), (200, "hello", 0))
    } finally wire.close()
  }

  private def assertFinal(program: Program, request: String, statuses: Int*): Unit = {
    val (first, last) = waiting(program, request, "x" * 5)
    val status = (first, last) match {
      case (_, Some(reply))        => reply.status
      case (Seen.Answer(reply), _) => reply.status
      case (other, _)              => fail(s"instead of a reply: $other")
    }
    assert(statuses.contains(status), s"$status instead of one of $statuses")
  }

  each("a final reply at once, or 100 first: nothing there (MUST, RFC 9110 §10.1.1)") { program =>
    assertFinal(program, head("POST /nope HTTP/1.1", "Host: a", expect, "Content-Length: 5"), 404)
  }

  each("a final reply at once, or 100 first: method not allowed (MUST, RFC 9110 §10.1.1)") { program =>
    assertFinal(program, head("PUT /plaintext HTTP/1.1", "Host: a", expect, "Content-Length: 5"), 405)
  }

  each("a final reply at once, or 100 first: no Host (MUST, RFC 9112 §3.2)") { program =>
    assertFinal(program, head("POST /echo HTTP/1.1", expect, "Content-Length: 5"), 400)
  }

  each("a body too large is refused, not asked for (STATED, RFC 9110 §15.5.14)") { program =>
    val wire = program.connect()
    try {
      wire.send(echo(expect, s"Content-Length: ${maxBody + 1}"))
      val reader = new ReplyReader(wire)
      val last   = reply(reader)
      assertEquals((last.status, last.interim.size, last.saysClose), (413, 0, true))
      assertEquals(reader.next(Ask.get), Seen.Ended)
    } finally wire.close()
  }

  each("a framing that is refused is not continued (STATED, RFC 9112 §6.3)") { program =>
    val wire = program.connect()
    try {
      wire.send(echo(expect, "Content-Length: 5", "Transfer-Encoding: chunked"))
      val last = reply(new ReplyReader(wire))
      assertEquals((last.status, last.interim.size), (400, 0))
    } finally wire.close()
  }
}
