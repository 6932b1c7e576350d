package needletail.conformance.message

import needletail.conformance.client.ReplyReader
import needletail.conformance.harness.{ByteClass, ConformanceSuite, MAY, MUST, SHOULD, STATED}
import needletail.conformance.harness.Message.{head, target}
import needletail.conformance.harness.Outcome._

// A row of a table is a line.
// format: off

/** RFC 9112 §3.2, the four forms, and RFC 3986: what a target means. */
class TargetSuite extends ConformanceSuite {
  private val none      = status(404)
  private val noneOrBad = status(400, 404)

  table("absolute-form")(
    MUST("9112 §3.2.2", "is taken", target("http://a/plaintext"), hello),
    MUST("9112 §3.2.2", "with a port", target("http://a:8080/plaintext"), hello),
    MUST("9112 §3.2.2", "with an empty port", target("http://a:/plaintext"), hello, refused),
    MUST("9112 §3.2.2", "with an IPv6 address", target("http://[::1]:80/plaintext"), hello),
    MUST("9112 §3.2.2", "with a query", target("http://a/big?bytes=3"), status(200)),
    MUST("3986 §3.1", "the scheme is without case", target("HTTP://a/plaintext"), hello),
    MUST("9112 §3.2.2", "another Host is ignored", head("GET http://a/plaintext HTTP/1.1", "Host: b"), hello),
    MUST("9112 §3.2", "needs a Host all the same", head("GET http://a/plaintext HTTP/1.1"), status(400)),
    MUST("9112 §3.2", "not with two", head("GET http://a/plaintext HTTP/1.1", "Host: a", "Host: a"), status(400)),
    MUST("9110 §4.2.3", "no path is the root", target("http://a"), none),
    MUST("9110 §4.2.3", "no path, but a query", target("http://a?x=1"), noneOrBad),
    MUST("9112 §3.2.2", "an unknown path", target("http://a/nope"), none),
    MUST("9110 §4.2.1", "an empty host", target("http:///plaintext"), status(400)),
    MUST("9110 §4.2.1", "an empty host with a port", target("http://:80/plaintext"), status(400)),
    SHOULD("9110 §4.2.4", "user information", target("http://u:p@a/plaintext"), hello, status(400)),
    SHOULD("9112 §3.2", "a port that is none", target("http://a:8x/plaintext"), status(400)),
    SHOULD("9112 §3.2", "one slash", target("http:/a/plaintext"), status(400, 404, 421)),
    SHOULD("9112 §3.2", "no slash", target("http:plaintext"), status(400, 404, 421)),
    MAY("9110 §7.4", "another scheme", target("ftp://a/plaintext"), hello, anyClientError),
    MAY("9110 §7.4", "https, unencrypted", target("https://a/plaintext"), hello, anyClientError),
    MUST("9112 §3.2.2", "HEAD", head("HEAD http://a/plaintext HTTP/1.1", "Host: a"), ok("")),
    MUST("9112 §3.2.2", "POST", head("POST http://a/echo HTTP/1.1", "Host: a", "Content-Length: 2") + "hi", ok("hi")),
    MUST("9112 §3.2.2", "in 1.0", head("GET http://a/plaintext HTTP/1.0"), hello.thenClosed)
  )

  table("authority-form")(
    SHOULD("9112 §3.2.3", "is not for GET", target("a:80"), status(400)),
    SHOULD("9112 §3.2.3", "a name alone is not for GET", target("plaintext"), status(400)),
    MUST("9110 §9.3.6", "CONNECT makes no tunnel", head("CONNECT a:80 HTTP/1.1", "Host: a:80"), anyClientError),
    MUST("9110 §9.3.6", "CONNECT without a port", head("CONNECT a HTTP/1.1", "Host: a"), anyClientError),
    MUST("9112 §3.2.3", "CONNECT with a path", head("CONNECT /plaintext HTTP/1.1", "Host: a"), anyClientError),
    MUST("9112 §3.2.3", "CONNECT with an absolute URI", head("CONNECT http://a/plaintext HTTP/1.1", "Host: a"), anyClientError)
  )

  table("asterisk-form")(
    MUST("9112 §3.2.4", "OPTIONS *", head("OPTIONS * HTTP/1.1", "Host: a"), status(200, 204)),
    SHOULD("9112 §3.2.4", "is not for GET", target("*"), status(400)),
    SHOULD("9112 §3.2.4", "is not for POST", head("POST * HTTP/1.1", "Host: a", "Content-Length: 0"), status(400)),
    SHOULD("9112 §3.2.4", "nothing stands behind it", head("OPTIONS *x HTTP/1.1", "Host: a"), status(400)),
    MUST("9110 §9.3.7", "as a path it is an ordinary one", head("GET /* HTTP/1.1", "Host: a"), none)
  )

  table("paths")(
    MUST("9110 §15.5.5", "the root is no resource here", target("/"), none),
    MUST("9110 §15.5.5", "an unknown one", target("/nope"), none),
    MUST("9110 §15.5.5", "one letter more", target("/plaintextx"), none),
    MUST("9110 §15.5.5", "one letter less", target("/plaintex"), none),
    MUST("9110 §15.5.5", "one segment more", target("/plaintext/x"), none),
    MUST("3986 §6.2.2.1", "case counts", target("/PLAINTEXT"), none),
    MAY("3986 §6.2.3", "a slash at the end", target("/plaintext/"), hello, status(301, 308, 404)),
    MAY("3986 §3.3", "an empty segment before", target("//plaintext"), hello, status(301, 308, 400, 404)),
    MUST("3986 §3.3", "empty segments and a host's name", target("//a/plaintext"), status(301, 308, 400, 404)),
    MAY("3986 §3.3", "parameters in a segment", target("/plaintext;v=1"), hello, none),
    MUST("3986 §3.4", "an empty query", target("/plaintext?"), hello),
    MUST("3986 §3.4", "a query that nobody reads", target("/plaintext?a=b&c"), hello),
    MUST("3986 §3.4", "slashes and question marks in a query", target("/plaintext?/../a?b=//"), hello),
    MUST("3986 §3.4", "only the first ? begins a query", target("/big?bytes=3?"), status(200, 400)),
    SHOULD("9112 §3.2", "a fragment is not part of a target", target("/plaintext#x"), status(400)),
    SHOULD("9112 §3.2", "a fragment behind a query", target("/plaintext?a#x"), status(400))
  )

  table("percent-encoding")(
    MUST("9110 §4.2.3", "of a letter", target("/%70laintext"), hello),
    MUST("9110 §4.2.3", "of every letter", target("/%70%6C%61%69%6e%74%65%78%74"), hello),
    MUST("3986 §2.2", "of a slash is no slash", target("/plaintext%2fx"), noneOrBad),
    MUST("3986 §2.2", "of a slash before", target("/%2fplaintext"), noneOrBad),
    MUST("3986 §2.2", "of a slash between segments", target("/status%2F200"), noneOrBad),
    MUST("3986 §2.2", "of a question mark begins no query", target("/big%3fbytes=3"), noneOrBad),
    MUST("3986 §2.4", "is decoded once", target("/%2570laintext"), none),
    MUST("3986 §2.4", "is decoded once in a query", target("/big?bytes=%2531"), noneOrBad),
    MUST("3986 §2.4", "in a query", target("/big?bytes=%31%30"), ok("x" * 10), status(200)),
    MUST("3986 §2.4", "in a query's name", target("/big?b%79tes=10"), status(200)),
    MUST("3986 §2.1", "of NUL", target("/plaintext%00"), noneOrBad),
    MUST("3986 §2.1", "of CR LF splits nothing", target("/plaintext%0d%0aX:%20y"), noneOrBad),
    MUST("3986 §2.1", "of what is not UTF-8", target("/%ff%fe"), noneOrBad),
    MUST("3986 §2.5", "of UTF-8", target("/%C3%A9"), none),
    SHOULD("3986 §2.1", "no digits", target("/plaintext%"), noneOrBad),
    SHOULD("3986 §2.1", "one digit", target("/plaintext%4"), noneOrBad),
    SHOULD("3986 §2.1", "wrong digits", target("/%zz"), noneOrBad),
    SHOULD("3986 §2.1", "a sign among the digits", target("/%+1"), noneOrBad),
    MAY("3986 §2.1", "wrong digits in a query that nobody reads", target("/plaintext?a=%zz"), hello, status(400)),
    MUST("9110 §5.5", "of an overlong slash", target("/plaintext%c0%afx"), noneOrBad)
  )

  private val resolvedOrRefused = Seq(hello, status(301, 308, 400, 404))

  table("dot segments")(
    STATED("3986 §5.2.4", "one dot", target("/./plaintext"), hello),
    STATED("3986 §5.2.4", "two dots", target("/x/../plaintext"), hello),
    STATED("3986 §5.2.4", "one dot behind", target("/plaintext/x/.."), hello, status(301, 308, 404)),
    MAY("3986 §5.2.4", "above the root", target("/../plaintext"), resolvedOrRefused: _*),
    MAY("3986 §5.2.4", "far above the root", target("/x/../../../plaintext"), resolvedOrRefused: _*),
    MAY("3986 §6.2.2.3", "encoded dots", target("/x/%2e%2E/plaintext"), resolvedOrRefused: _*),
    MUST("3986 §2.2", "before an encoded slash are no segment", target("/plaintext/..%2fplaintext"), noneOrBad),
    MUST("3986 §2.4", "dots encoded twice", target("/x/%252e%252e/plaintext"), noneOrBad),
    MUST("3986 §5.2.4", "three dots are a name", target("/x/.../plaintext"), none),
    MUST("3986 §5.2.4", "never out of a name", target("/x../plaintext"), none),
    STATED("3986 §5.2.4", "behind an empty segment, which others merge", target("/x//../plaintext"), status(400)),
    STATED("3986 §5.2.4", "behind two of them", target("/x//y/../../plaintext"), status(400)),
    STATED("3986 §5.2.4", "encoded, behind an empty segment", target("/x//%2e%2E/plaintext"), status(400)),
    STATED("3986 §2.2", "beside an encoded slash, which others decode", target("/x/..%2Fplaintext"), status(400)),
    STATED("3986 §2.2", "behind a segment with an encoded slash", target("/x%2fy/../plaintext"), status(400)),
    STATED("3986 §5.2.4", "behind an empty segment in absolute form", target("http://a//../plaintext"), status(400)),
    MUST("9112 §3.2.2", "in absolute form", target("http://a/x/../plaintext"), hello, status(301, 308, 400, 404))
  )

  bytes(SHOULD, "3986 §2, 9112 §3.2", "in a query", "GET /plaintext?a", byte => head((if (byte == '%') "41" else "z") + " HTTP/1.1", "Host: a")) {
    case byte if ByteClass.isQuery(byte) || byte == '%' => Seq(hello)
    case _                                             => Seq(refused, status(400, 505))
  }

  bytes(SHOULD, "3986 §2, 9112 §3.2", "in a path", "GET /nope", byte => head((if (byte == '%') "41" else "z") + " HTTP/1.1", "Host: a")) {
    case byte if (ByteClass.isQuery(byte) || byte == '%') => Seq(none)
    case _                                               => Seq(refused, status(400, 505))
  }

  bytes(SHOULD, "3986 §3, 9112 §3.2", "first in a target", "GET ", _ => head("plaintext HTTP/1.1", "Host: a")) {
    case '/'                                                                         => Seq(hello)
    case byte if ByteClass.isBlank(byte) || byte == 11 || byte == 12 || byte == ByteClass.CR => Seq(refused, status(400))
    case _                                                                           => Seq(status(400), status(505))
  }

  private val decoded = Seq(status(400, 404, 505))

  bytes(SHOULD, "3986 §2.1", "first digit of an encoded byte", "GET /plaintex%", _ => head("4 HTTP/1.1", "Host: a")) {
    case '7' => Seq(hello)
    case _   => decoded
  }

  bytes(SHOULD, "3986 §2.1", "second digit of an encoded byte", "GET /plaintex%7", _ => head(" HTTP/1.1", "Host: a")) {
    case '4' => Seq(hello)
    case _   => decoded
  }

  bytes(SHOULD, "3986 §3.2.3", "in the port of an absolute URI", "GET http://a:8", _ => head("/plaintext HTTP/1.1", "Host: a")) {
    case byte if ByteClass.isDigit(byte) || byte == '/' => Seq(hello, noneOrBad)
    // what ends the authority, or makes what stands before it user information
    case byte if byte == '?' || byte == '#' || byte == '@' => Seq(hello, noneOrBad)
    case _                                                     => Seq(status(400, 505))
  }

  table("values in paths and queries")(
    STATED("9110 §15.5.1", "no number", target("/big?bytes=abc"), noneOrBad),
    STATED("9110 §15.5.1", "a negative number", target("/big?bytes=-1"), noneOrBad),
    STATED("9110 §15.5.1", "a number too large for any integer", target("/big?bytes=99999999999999999999999"), noneOrBad),
    STATED("9110 §15.5.1", "an empty value", target("/big?bytes="), noneOrBad),
    STATED("9110 §15.5.1", "no value", target("/big"), noneOrBad),
    STATED("9110 §15.3.1", "zero", target("/big?bytes=0"), ok("")),
    STATED("9110 §15.5.1", "a status that is none", target("/status/abc"), noneOrBad),
    STATED("9110 §15.5.1", "a status too large", target("/status/1000"), noneOrBad),
    STATED("9110 §15.5.1", "a status too small", target("/status/99"), noneOrBad),
    STATED("9110 §15.5.1", "a status far too large", target("/status/4294967496"), noneOrBad),
    MUST("9110 §15.2", "an interim status is no final reply", target("/status/100"), anyFinal),
    MUST("9110 §15.2.2", "101 changes no protocol", target("/status/101"), anyFinal),
    MUST("9110 §15.5.5", "no status", target("/status/"), noneOrBad)
  )

  each("any status from 200 to 599 is sent as such, and the connection goes on (MUST, RFC 9112 §6.3)") { program =>
    val wire   = program.connect()
    val reader = new ReplyReader(wire)
    try
      (200 to 599).foreach { code =>
        wire.send(target(s"/status/$code"))
        val got = reply(reader)
        assertEquals((got.status, got.whole, got.saysClose), (code, true, false))
      }
    finally wire.close()
  }
}
