package needletail.conformance.exchange

import needletail.conformance.client.{Ask, Reply, ReplyReader}
import needletail.conformance.harness.{
  After,
  ByteClass,
  ConformanceSuite,
  MAY,
  MUST,
  Message,
  Outcome,
  SHOULD,
  Want
}
import needletail.conformance.harness.Message.{get, head, target}
import needletail.conformance.harness.Outcome._

// A row of a table is a line.
// format: off

/** RFC 9112 §9: when a connection stays, and when and how it ends. */
class PersistenceSuite extends ConformanceSuite {
  private val helloLast = hello.thenClosed

  table("HTTP/1.1")(
    SHOULD("9112 §9.3", "stays open", get(), hello),
    SHOULD("9112 §9.3", "keep-alive changes nothing", get("Connection: keep-alive"), hello),
    SHOULD("9112 §9.3", "an unknown option changes nothing", get("Connection: x"), hello),
    SHOULD("9112 §9.3", "an empty Connection changes nothing", get("Connection:"), hello),
    MUST("9112 §9.6", "close", get("Connection: close"), helloLast),
    MUST("9110 §7.6.1", "close without case", get("Connection: CLose"), helloLast),
    MUST("9110 §7.6.1", "close last in a list", get("Connection: x, close"), helloLast),
    MUST("9110 §7.6.1", "close first in a list", get("Connection: close, x"), helloLast),
    MUST("9110 §7.6.1", "close in a list without blanks", get("Connection: x,close,y"), helloLast),
    MUST("9110 §5.6.1", "close among empty members", get("Connection: ,, close ,"), helloLast),
    MUST("9110 §7.6.1", "close between HTAB", get("Connection: x,\tclose\t,y"), helloLast),
    MUST("9110 §5.3", "close in a second line", get("Connection: x", "Connection: close"), helloLast),
    MUST("9112 §9.3", "close over keep-alive", get("Connection: keep-alive, close"), helloLast),
    MUST("9112 §9.3", "close over keep-alive, in two lines", get("Connection: close", "Connection: keep-alive"), helloLast),
    SHOULD("9110 §7.6.1", "closed is not close", get("Connection: closed"), hello),
    SHOULD("9110 §7.6.1", "xclose is not close", get("Connection: xclose"), hello),
    SHOULD("9110 §7.6.1", "close-x is not close", get("Connection: close-x"), hello),
    SHOULD("9110 §7.6.1", "clos is not close", get("Connection: clos"), hello),
    MAY("9110 §7.6.1", "close in quotes", get("Connection: \"close\""), hello, helloLast, refused),
    MUST("9112 §9.6", "close in 404", head("GET /nope HTTP/1.1", "Host: a", "Connection: close"), status(404).thenClosed),
    MUST("9112 §9.6", "close in 405", head("PUT /plaintext HTTP/1.1", "Host: a", "Connection: close"), status(405).thenClosed),
    MUST("9112 §9.6", "close in 204", head("GET /status/204 HTTP/1.1", "Host: a", "Connection: close"), status(204).thenClosed),
    MUST("9112 §9.6", "close with HEAD", head("HEAD /plaintext HTTP/1.1", "Host: a", "Connection: close"), ok("").thenClosed),
    MUST("9112 §9.6", "close with a body",
      head("POST /echo HTTP/1.1", "Host: a", "Connection: close", "Content-Length: 5") + "hello", ok("hello").thenClosed),
    MUST("9112 §9.6", "close with OPTIONS *", head("OPTIONS * HTTP/1.1", "Host: a", "Connection: close"), status(200, 204).thenClosed),
    SHOULD("9112 §9.3", "404 leaves it open", target("/nope"), Outcome(Seq(Want(Set(404))), After.Open)),
    SHOULD("9112 §9.3", "405 leaves it open",
      head("PUT /plaintext HTTP/1.1", "Host: a", "Content-Length: 2") + "ab", Outcome(Seq(Want(Set(405))), After.Open)),
    MUST("9110 §7.8", "an upgrade that is not offered", get("Connection: Upgrade", "Upgrade: websocket"), hello),
    MUST("9110 §7.8", "an upgrade to h2c",
      get("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"), hello),
    MAY("9112 §9.3", "Keep-Alive says nothing", get("Keep-Alive: timeout=1, max=1"), hello)
  )

  bytes(SHOULD, "9110 §7.6.1", "behind close", "GET /plaintext HTTP/1.1\r\nHost: a\r\nConnection: close", _ => "\r\n\r\n") {
    case byte if ByteClass.isBlank(byte) || byte == ','              => Seq(helloLast)
    case byte if ByteClass.isToken(byte)                              => Seq(hello)
    case byte if byte == ByteClass.NUL || byte == ByteClass.CR           => Seq(refused)
    case byte if byte == ByteClass.LF                                 => Seq(helloLast, refused)
    case _                                                          => Seq(hello, helloLast, refused)
  }

  private def oneZero(line: String, lines: String*): String = head(s"$line HTTP/1.0" +: lines: _*)

  table("HTTP/1.0")(
    MUST("9112 §9.3", "closes", oneZero("GET /plaintext"), helloLast),
    MUST("9112 §9.3", "closes on close", oneZero("GET /plaintext", "Connection: close"), helloLast),
    MUST("9112 §9.3", "closes on an unknown option", oneZero("GET /plaintext", "Connection: x"), helloLast),
    MAY("9112 §9.3", "stays on keep-alive", oneZero("GET /plaintext", "Connection: keep-alive"), hello, helloLast),
    MAY("9112 §9.3", "stays on keep-alive without case", oneZero("GET /plaintext", "Connection: Keep-Alive"), hello, helloLast),
    MUST("9112 §9.3", "close over keep-alive", oneZero("GET /plaintext", "Connection: keep-alive, close"), helloLast),
    MUST("9112 §9.3", "close over keep-alive, in two lines",
      oneZero("GET /plaintext", "Connection: close", "Connection: keep-alive"), helloLast),
    MUST("9112 §6.1", "a streamed reply has no chunks", oneZero("GET /big?bytes=100000"), status(200).thenClosed),
    MUST("9112 §6.1", "a streamed reply to keep-alive has none either",
      oneZero("GET /big?bytes=100000", "Connection: keep-alive"), status(200)),
    MUST("9112 §6.1", "an echo has no chunks", oneZero("POST /echo", "Content-Length: 5") + "hello", ok("hello").thenClosed),
    MUST("9112 §6.1", "an echo to keep-alive has none either",
      oneZero("POST /echo", "Connection: keep-alive", "Content-Length: 5") + "hello", ok("hello").asSaid),
    MUST("9110 §9.3.2", "HEAD", oneZero("HEAD /plaintext"), ok("").thenClosed),
    MUST("9110 §9.3.2", "HEAD of a streamed reply", oneZero("HEAD /big?bytes=100000"), ok("").thenClosed),
    MUST("9112 §9.3", "404", oneZero("GET /nope"), status(404).thenClosed),
    MUST("9112 §9.3", "204", oneZero("GET /status/204"), status(204).thenClosed)
  )

  each("a thousand requests one after another on a connection (SHOULD, RFC 9112 §9.3)") { program =>
    val wire   = program.connect()
    val reader = new ReplyReader(wire)
    try
      (1 to 1000).foreach { i =>
        wire.send(get(s"X-Count: $i"))
        assertEquals(reply(reader).text, Hello)
      }
    finally wire.close()
  }

  each("replies of all kinds one after another on a connection (MUST, RFC 9112 §6.3)") { program =>
    val wire   = program.connect()
    val reader = new ReplyReader(wire)
    try
      (1 to 40).foreach { i =>
        Seq(get() -> 200, target("/status/204") -> 204, target("/status/304") -> 304, target("/nope") -> 404,
          head("HEAD /big?bytes=1000 HTTP/1.1", "Host: a") -> 200, target(s"/big?bytes=${i * 1000}") -> 200,
          Message.chunked("3\r\nabc\r\n0\r\n\r\n") -> 200, head("OPTIONS /json HTTP/1.1", "Host: a") -> 200).foreach { case (request, status) =>
          wire.send(request)
          val got = reply(reader, Ask.of(request))
          assert(got.status == status || got.status == 204, s"${Reply.visible(request)}: $got")
        }
      }
    finally wire.close()
  }

  each("the reply is whole before the close, however long (MUST, RFC 9112 §9.6)") { program =>
    val size = 3000000
    val got  = ask(program, head(s"GET /big?bytes=$size HTTP/1.1", "Host: a", "Connection: close"))
    assertEquals((got.whole, got.body.length, got.saysClose), (true, size, true))
  }
}
