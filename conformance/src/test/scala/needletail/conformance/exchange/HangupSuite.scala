package needletail.conformance.exchange

import needletail.conformance.client.{Ask, Reply, ReplyReader, Seen, Wire}
import needletail.conformance.harness.ConformanceSuite
import needletail.conformance.harness.Message.{chunked, echo, get, head, target}
import needletail.conformance.harness.Outcome._

/** Clients that end their side early: whole requests are answered, halves never are (RFC 9112 §8). */
class HangupSuite extends ConformanceSuite {

  private def halfClosed(name: String, request: String, asks: Seq[Ask], check: Seq[Reply] => Unit): Unit =
    each(s"the client ends its side after $name: all replies still come (SHOULD, RFC 9112 §9.6)") { program =>
      val wire   = program.connect()
      val reader = new ReplyReader(wire)
      try {
        wire.send(request)
        wire.finish()
        val replies = asks.map(reply(reader, _))
        check(replies)
        assertEquals(reader.next(Ask.get), Seen.Ended)
      } finally wire.close()
    }

  halfClosed("GET", get(), Seq(Ask.get), got => assertEquals(got.map(_.text), Seq(Hello)))
  halfClosed(
    "HEAD",
    head("HEAD /plaintext HTTP/1.1", "Host: a"),
    Seq(Ask(head = true)),
    got => assertEquals(got.map(_.status), Seq(200))
  )
  halfClosed(
    "POST",
    echo("Content-Length: 5") + "hello",
    Seq(Ask.get),
    got => assertEquals(got.map(_.text), Seq("hello"))
  )
  halfClosed(
    "a chunked POST",
    chunked("5\r\nhello\r\n0\r\n\r\n"),
    Seq(Ask.get),
    got => assertEquals(got.map(_.text), Seq("hello"))
  )
  halfClosed(
    "three requests",
    get() + target("/json") + get(),
    Seq.fill(3)(Ask.get),
    got => assertEquals(got.map(_.text), Seq(Hello, Json, Hello))
  )
  halfClosed(
    "a request for 3 MB",
    target("/big?bytes=3000000"),
    Seq(Ask.get),
    got => assertEquals(got.map(_.body.length), Seq(3000000))
  )
  halfClosed(
    "an echo of 1 MB",
    echo("Content-Length: 1000000") + "x" * 1000000,
    Seq(Ask.get),
    got => assertEquals(got.map(_.body.length), Seq(1000000))
  )

  /** Every part of a request, then the end of the client's side. */
  private def truncated(name: String, request: String): Unit =
    each(s"$name cut off at any byte is never answered as if it were whole (MUST, RFC 9112 §8)") { program =>
      val bytes  = Wire.latin1(request)
      val faults = (1 until bytes.length).grouped(100).flatMap { lengths =>
        val wires = lengths.map(length => length -> program.connect())
        try {
          wires.foreach { case (length, wire) =>
            wire.send(bytes, 0, length)
            wire.finish()
          }
          wires.flatMap { case (length, wire) =>
            new ReplyReader(wire).next(Ask.get) match {
              case Seen.Ended | Seen.Reset                                   => None
              case Seen.Answer(got) if !got.whole                            => None
              case Seen.Answer(got) if got.status >= 400 && got.status < 500 => None
              case other => Some(s"after $length bytes: $other")
            }
          }
        } finally wires.foreach(_._2.close())
      }.take(5).toList
      assertEquals(faults, Nil)
      assertServes(program)
    }

  truncated("a GET", get("X: y"))
  truncated("a POST with a length", echo("Content-Length: 5") + "hello")
  truncated("a chunked POST", chunked("5\r\nhello\r\n3;a=b\r\nabc\r\n0\r\nX: y\r\n\r\n"))

  /** So many connections reset where the request has come so far. */
  private def resets(name: String, times: Int = 40)(upTo: Wire => Unit): Unit =
    each(s"resets $name hurt nobody (STATED)") { program =>
      (1 to times).foreach { _ =>
        val wire = program.connect()
        upTo(wire)
        wire.reset()
      }
      assertServes(program)
    }

  private def sent(text: String)(wire: Wire): Unit = { wire.send(text); () }

  resets("before a request")(_ => ())
  resets("inside the request line")(sent("GET /pla"))
  resets("inside a field")(sent("GET /plaintext HTTP/1.1\r\nHost: "))
  resets("behind the head, the reply under way")(sent(get()))
  resets("behind many requests")(sent(get() * 500))
  resets("inside a body")(sent(echo("Content-Length: 1000") + "x" * 500))
  resets("inside a chunk's size")(sent(chunked("1")))
  resets("inside a chunk")(sent(chunked("64\r\nabc")))
  resets("inside a trailer")(sent(chunked("1\r\nx\r\n0\r\nX:")))
  resets("behind 100 Continue") { wire =>
    wire.send(echo("Expect: 100-continue", "Content-Length: 5"))
    new ReplyReader(wire).nextOfAny(Ask.get)
    ()
  }
  resets("inside a long reply") { wire =>
    wire.send(target("/big?bytes=10000000"))
    wire.discard(Wire.in(5))
    ()
  }
  resets("inside a large echo") { wire =>
    wire.send(echo("Content-Length: 1000000") + "x" * 100000)
    wire.discard(Wire.in(5))
    ()
  }
  resets("behind an error")(sent("nonsense\r\n\r\n"))
  resets("behind a reply") { wire =>
    wire.send(get())
    new ReplyReader(wire).next(Ask.get)
    ()
  }

  each("connections that only come and go hurt nobody (STATED)") { program =>
    (1 to 1000).foreach(_ => program.connect().close())
    assertServes(program)
  }

  each("closing with replies unread hurts nobody (STATED)") { program =>
    (1 to 50).foreach { _ =>
      val wire = program.connect()
      wire.send(target("/big?bytes=1000000") + get() * 10)
      wire.next(Wire.in(10000)) // the first byte of the replies
      wire.close()
    }
    assertServes(program)
  }
}
