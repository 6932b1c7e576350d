package needletail.conformance.exchange

import needletail.conformance.client.{Ask, ReplyReader, Seen}
import needletail.conformance.harness.{Background, ConformanceSuite, Program, STATED}
import needletail.conformance.harness.Message.{chunked, echo, get, head, target}
import needletail.conformance.harness.Outcome._

// A row of a table is a line.
// format: off

/** Bodies that are too large, unread, or refused before they have come: RFC 9110 §15.5.14, RFC 9112 §9.6. */
class BodySuite extends ConformanceSuite {
  private def chunks(count: Int, size: Int): String = s"${size.toHexString}\r\n${"c" * size}\r\n" * count

  table("limits")(
    STATED("9110 §15.5.14", "a length above it, with no body yet",
      echo(s"Content-Length: ${maxBody + 1}"), status(413).thenClosed).unglued.atOnce,
    STATED("9110 §15.5.14", "a length far above it", echo("Content-Length: 999999999999"), status(413).thenClosed).unglued.atOnce,
    STATED("9110 §15.5.14", "a length above it, and the body",
      echo(s"Content-Length: ${maxBody + 1}") + "x" * (maxBody + 1), status(413)).unsplit,
    STATED("9110 §15.5.14", "a length at it", echo(s"Content-Length: $maxBody") + "x" * maxBody, ok("x" * maxBody)).unsplit.unglued,
    STATED("9110 §15.5.14", "a chunk above it", chunked(s"${(maxBody + 1).toHexString}\r\n"), tooLarge).unglued.atOnce,
    STATED("9110 §15.5.14", "chunks within it", chunked(chunks(19, 100000) + "0\r\n\r\n"), ok("c" * 1900000)).unsplit.unglued
  )

  each("chunks that grow above the limit end the connection (STATED, RFC 9110 §15.5.14)") { program =>
    val wire   = program.connect()
    val reader = new ReplyReader(wire)
    val writer = Background.run("growing") {
      wire.send(chunked(chunks(30, 100000) + "0\r\n\r\n"))
      ()
    }
    try
      reader.next(Ask.get) match {
        case Seen.Answer(got) => assert(!got.whole || got.status == 413, got.toString)
        case Seen.Ended       => ()
        case other            => fail(s"$other")
      }
    finally {
      wire.close()
      writer.join(5000)
    }
    assertServes(program)
  }

  /** Sends all, then reads: a reset would have thrown the reply away. */
  private def afterAll(program: Program, request: String, statuses: Int*): Unit = {
    val wire = program.connect()
    try {
      wire.send(request)
      val got = reply(new ReplyReader(wire))
      assert(statuses.contains(got.status), got.toString)
    } finally wire.close()
  }

  each("413 is not lost to a client that first sends its 3 MB (SHOULD, RFC 9112 §9.6)") { program =>
    afterAll(program, echo("Content-Length: 3000000") + "x" * 3000000, 413)
  }

  each("405 is not lost to a client that first sends its 1.9 MB (SHOULD, RFC 9112 §9.6)") { program =>
    afterAll(program, head("POST /plaintext HTTP/1.1", "Host: a", "Content-Length: 1900000") + "x" * 1900000, 405)
  }

  each("404 is not lost to a client that first sends its 1.9 MB in chunks (SHOULD, RFC 9112 §9.6)") { program =>
    afterAll(program, head("POST /nope HTTP/1.1", "Host: a", "Transfer-Encoding: chunked") + chunks(19, 100000) + "0\r\n\r\n", 404)
  }

  each("400 is not lost to a client that sends on (SHOULD, RFC 9112 §9.6)") { program =>
    (1 to 10).foreach(_ => afterAll(program, "nonsense\r\n\r\n" + "x" * 300000, 400))
  }

  each("431 is not lost to a client that sends on (SHOULD, RFC 9112 §9.6)") { program =>
    (1 to 10).foreach(_ => afterAll(program, get("X: " + "v" * 500000), 431))
  }

  each("414 is not lost to a client that sends on (SHOULD, RFC 9112 §9.6)") { program =>
    (1 to 10).foreach(_ => afterAll(program, target("/" + "v" * 500000), 414))
  }

  each("close is not lost to a client that sends on (SHOULD, RFC 9112 §9.6)") { program =>
    (1 to 10).foreach { _ =>
      val wire = program.connect()
      try {
        wire.send(get("Connection: close") + get() * 5000)
        val reader = new ReplyReader(wire)
        assertEquals(reply(reader).text, Hello)
        val after = reader.next(Ask.get)
        assert(after == Seen.Ended || after == Seen.Reset, s"$after")
      } finally wire.close()
    }
  }

  each("an endless refused body does not go on for ever (STATED, RFC 9112 §9.6)") { program =>
    val wire  = program.connect()
    val limit = 400L * 1024 * 1024
    val start = System.nanoTime()
    var sent  = 0L
    try {
      wire.send(echo("Content-Length: 999999999"))
      assertEquals(reply(new ReplyReader(wire)).status, 413)
      val block = new Array[Byte](65536)
      while (sent < limit && System.nanoTime() - start < 20000000000L && wire.send(block)) sent += block.length
      assert(sent < limit, s"$sent bytes taken after 413")
      assert(System.nanoTime() - start < 20000000000L, s"still taken 20 s after 413 ($sent bytes)")
    } finally wire.close()
    assertServes(program)
  }

  each("a small body that nobody reads leaves the connection open (SHOULD, RFC 9112 §9.3)") { program =>
    val wire   = program.connect()
    val reader = new ReplyReader(wire)
    try
      (1 to 50).foreach { i =>
        wire.send(head("GET /plaintext HTTP/1.1", "Host: a", s"Content-Length: ${i * 20}") + "x" * (i * 20))
        assertEquals(reply(reader).text, Hello)
      }
    finally wire.close()
  }
}
