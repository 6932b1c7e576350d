package needletail.http.http1.fields

import java.nio.charset.StandardCharsets.ISO_8859_1

import needletail.http.http1.{HeadLimits, HeadParser}
import needletail.testing.Suite

/** A parser that has seen a section of fields before reads it, and any other, as a new one does. */
class FieldSectionCacheSuite extends Suite {
  private val limits = HeadLimits(200, 2000, 12, relaxedTarget = false)

  /** All that a parser answers about a head. */
  private def outcome(parser: HeadParser, head: Array[Byte], before: Int = 0): String = {
    val bytes = new Array[Byte](before) ++ head
    val n     = parser.parse(bytes, before, bytes.length)
    val h     = parser.head
    if (n == HeadParser.More) { parser.reset(); "more" }
    else if (n == HeadParser.Bad) { parser.reset(); s"bad ${parser.error.getMessage}" }
    else {
      val decisive =
        Seq(Fields.Host, Fields.ContentLength, Fields.TransferEncoding, Fields.Connection, Fields.Expect)
      val first     = decisive.map(bit => if ((h.seen & bit) != 0) h.first(bit) else -1)
      val lines     = h.toHeaders.toList
      val authority = if (h.authorityFrom < 0) "-" else h.text(h.authorityFrom, h.authorityUntil)
      s"$n ${h.method.name} $lines $first ${h.repeated} ${h.contentLength} ${h.chunked} ${h.keepAlive} " +
        s"${h.expectContinue} ${h.minor} $authority"
    }
  }

  private def bytes(text: String): Array[Byte] = text.getBytes(ISO_8859_1)

  private val sections = Seq(
    "Host: a\r\n\r\n",
    "Host: example.org\r\nUser-Agent: x\r\nAccept: */*\r\nCookie: a=b\r\n\r\n",
    "Content-Length: 3\r\nHost: b:80\r\nConnection: close\r\n\r\n",
    "Host: c\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n",
    "Host: d\r\nX: 1\r\nX: 2\r\nConnection: a\r\nConnection: b\r\n\r\n",
    "Host: long\r\nX: " + "y" * 1500 + "\r\n\r\n",
    "Host: none\r\n\r\n",
    "Host: a b\r\n\r\n",
    "Host:\r\nX: y\r\n\r\n",
    "X-None: at all\r\n\r\n"
  )

  private def same(seen: HeadParser, head: String, before: Int = 0): Unit =
    assertEquals(
      outcome(seen, bytes(head), before),
      outcome(new HeadParser(limits), bytes(head)),
      head
    )

  test("sections again and again, behind request lines of any length, at any place in the array") {
    val parser = new HeadParser(limits)
    for {
      section <- sections ++ sections.flatMap(s => Seq(s, s, s))
      line   <- Seq("GET / HTTP/1.1", "POST /longer?q=1 HTTP/1.1", "GET / HTTP/1.0", "GET http://e/ HTTP/1.1")
      before <- Seq(0, 7)
    } same(parser, s"$line\r\n$section", before)
  }

  test("a section of which one byte differs, or is missing, or comes in addition") {
    val parser = new HeadParser(limits)
    for (section <- sections.take(5); at <- section.indices) {
      same(parser, s"GET / HTTP/1.1\r\n$section")
      for (byte <- Seq('\u0000', '\n', '\r', ' ', ':', 'a', '\u007f', '\u00ff'))
        same(parser, s"GET / HTTP/1.1\r\n${section.updated(at, byte)}")
      same(parser, s"GET / HTTP/1.1\r\n$section")
      same(parser, s"GET / HTTP/1.1\r\n${section.take(at)}")
      same(parser, s"GET / HTTP/1.1\r\n${section.take(at) + section.drop(at + 1)}")
      same(parser, s"GET / HTTP/1.1\r\n${section.take(at) + "b" + section.drop(at)}")
    }
  }

  test("a section that comes again after one that is not cached, as it is too long or refused") {
    val parser = new HeadParser(limits)
    val others = Seq(
      "Host: long\r\nConnection: close\r\nX: " + "y" * 1500 + "\r\n\r\n",
      "Host: wrong\r\nHost: wrong\r\nConnection: close\r\n\r\n"
    )
    for (section <- sections; other <- others) {
      same(parser, s"GET / HTTP/1.1\r\nX-1: 1\r\nX-2: 2\r\n$section")
      same(parser, s"GET / HTTP/1.1\r\n$other")
      same(parser, s"GET / HTTP/1.1\r\nX-1: 1\r\nX-2: 2\r\n$section")
    }
  }

  test("more fields than are let through are refused each time") {
    val parser = new HeadParser(limits)
    val many   = "Host: a\r\n" + "X: y\r\n" * 12 + "\r\n"
    for (_ <- 1 to 3) {
      same(parser, s"GET / HTTP/1.1\r\n$many")
      same(parser, s"GET / HTTP/1.1\r\n${sections.head}")
    }
  }
}
