package needletail.conformance.load

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicLong}

import needletail.conformance.client.{Ask, ReplyReader, Seen, Wire}
import needletail.conformance.harness.{Background, ConformanceSuite, Message}
import needletail.conformance.harness.Message.{chunked, echo, get, head}
import needletail.conformance.harness.Outcome._

/** Clients that send without end: what they can take is bounded, and others are served all the while. */
class FloodSuite extends ConformanceSuite {

  /** More than any head may have, less than what hurts a test's time. */
  private val bound = 40L * 1024 * 1024

  /**
   * Sends the parts again and again. The program refuses with one of the statuses (or hangs up), before the bound, and
   * its memory stays where it was. After each megabyte the reader has a moment to see the refusal, so that a busy
   * machine is not taken for a program that takes everything.
   */
  private def refused(name: String, before: String, part: String, statuses: Set[Int]): Unit =
    each(s"endless $name are refused (STATED)") { program =>
      val wire     = program.connect()
      val resident = program.residentBytes.getOrElse(0L)
      val sent     = new AtomicLong
      val answered = new CountDownLatch(1)
      val block    = Wire.latin1(part * (1048576 / part.length + 1))
      val writer   = Background.run("flood") {
        wire.send(before)
        while (sent.get < bound && wire.send(block) && !answered.await(100, TimeUnit.MILLISECONDS))
          sent.addAndGet(block.length.toLong)
      }
      try {
        val reader = new ReplyReader(wire, replyMillis = 15000)
        val seen   = reader.next(Ask.get)
        answered.countDown()
        seen match {
          case Seen.Answer(got) => assert(!got.whole || statuses(got.status), got.toString)
          case Seen.Ended       => ()
          case Seen.Reset       => fail("reset: the refusal is lost (RFC 9112 §9.6)")
          case other            => fail(s"$other after ${sent.get} bytes")
        }
        wire.close()
        writer.join(10000)
        assert(sent.get < bound, s"${sent.get} bytes taken")
        val grown = program.residentBytes.getOrElse(0L) - resident
        assert(grown < 64L * 1024 * 1024, s"${grown / 1048576} MB more memory")
      } finally wire.close()
      assertServes(program)
    }

  private val tooLargeHead = Set(400, 413, 431)

  refused("fields", "GET /plaintext HTTP/1.1\r\nHost: a\r\n", "X: y\r\n", tooLargeHead)
  refused("fields of one byte", "GET /plaintext HTTP/1.1\r\nHost: a\r\n", "a:\r\n", tooLargeHead)
  refused("bytes of a value", "GET /plaintext HTTP/1.1\r\nHost: a\r\nX: ", "v", tooLargeHead)
  refused("bytes of a name", "GET /plaintext HTTP/1.1\r\nHost: a\r\n", "n", tooLargeHead)
  refused("blanks before a value", "GET /plaintext HTTP/1.1\r\nHost: a\r\nX:", " ", tooLargeHead)
  refused("Host fields", "GET /plaintext HTTP/1.1\r\n", "Host: a\r\n", tooLargeHead)
  refused("bytes of a target", "GET /", "t", Set(414, 431))
  refused("bytes of a method", "", "M", Set(400, 405, 414, 431, 501))
  refused("bytes of a version", "GET / HTTP/1.", "1", Set(400, 414, 431, 505))
  refused("NULs", "", "\u0000", Set(400))
  refused("digits of a length", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: ", "1", tooLargeHead)
  refused("zeros of a chunk's size", chunked(""), "0", tooLargeHead)
  refused("bytes of an extension", chunked("5;a="), "e", tooLargeHead)
  refused("trailers", chunked("5\r\nhello\r\n0\r\n"), "X: y\r\n", tooLargeHead)
  refused("bytes of a trailer", chunked("5\r\nhello\r\n0\r\nX: "), "y", tooLargeHead)
  refused("chunks", chunked(""), "1\r\nx\r\n", Set(400, 413))
  refused(
    "trailers of a body that nobody reads",
    head("POST /plaintext HTTP/1.1", "Host: a", "Transfer-Encoding: chunked") + "0\r\n",
    "X: y\r\n",
    tooLargeHead + 405
  )

  each("10 MB of empty lines hurt nobody (STATED, RFC 9112 §2.2)") { program =>
    val wire     = program.connect()
    val resident = program.residentBytes.getOrElse(0L)
    val lines    = Wire.latin1("\r\n" * 32768)
    val writer   = Background.run("empty lines") {
      (1 to 160).forall(_ => wire.send(lines))
      wire.send(get())
      ()
    }
    try {
      assertServes(program)
      new ReplyReader(wire, replyMillis = 15000).next(Ask.get) match {
        case Seen.Answer(got) =>
          assert(got.text == Hello || got.status == 400 || got.status == 431, got.toString)
        case Seen.Ended => ()
        case other      => fail(s"$other")
      }
      val grown = program.residentBytes.getOrElse(0L) - resident
      assert(grown < 64L * 1024 * 1024, s"${grown / 1048576} MB more memory")
    } finally {
      wire.close()
      writer.join(5000)
    }
    assertServes(program)
  }

  each("200,000 chunks of one byte are one body (MUST, RFC 9112 §7.1)") { program =>
    val wire   = program.connect()
    val count  = 200000
    val writer = Background.run("tiny chunks") {
      wire.send(chunked("1\r\nx\r\n" * count + "0\r\n\r\n") + Message.next)
      ()
    }
    try {
      val reader = new ReplyReader(wire, replyMillis = 20000)
      assertEquals(reply(reader).body.length, count)
      assertEquals(reply(reader).text, Json)
    } finally {
      wire.close()
      writer.join(5000)
    }
  }

  each("20,000 chunks with an extension each are one body, or refused (MAY, RFC 9112 §7.1.1)") { program =>
    val wire   = program.connect()
    val count  = 20000
    val writer = Background.run("extensions") {
      wire.send(chunked(s"1;${"e" * 100}\r\nx\r\n" * count + "0\r\n\r\n"))
      ()
    }
    try
      new ReplyReader(wire, replyMillis = 20000).next(Ask.get) match {
        case Seen.Answer(got) => assert(
            !got.whole || got.body.length == count || got.status == 400 || got.status == 413,
            got.toString
          )
        case Seen.Ended => ()
        case other      => fail(s"$other")
      }
    finally {
      wire.close()
      writer.join(5000)
    }
  }

  each("eight floods of requests at once leave room for others (STATED)") { program =>
    val wires   = (1 to 8).map(_ => program.connect())
    val block   = Wire.latin1(get() * 500)
    val over    = new AtomicBoolean(false)
    val threads = wires.flatMap { wire =>
      Seq(
        Background.run("flood")(while (!over.get && wire.send(block)) ()),
        Background.run("replies") { wire.discard(Wire.in(60000)); () }
      )
    }
    try
      (1 to 50).foreach(_ =>
        assertServes(program)
      ) // while the floods go on: they end when these are answered
    finally {
      over.set(true)
      wires.foreach(_.close())
      threads.foreach(_.join(5000))
    }
    assertServes(program)
  }

  each("connections without end that send nonsense hurt nobody (STATED)") { program =>
    val end = Wire.in(1000)
    while (System.nanoTime() < end) {
      val wire = program.connect()
      wire.send("\u0001\u0002\u0003\r\n\r\n" + echo("Content-Length: -1"))
      wire.close()
    }
    assertServes(program)
  }
}
