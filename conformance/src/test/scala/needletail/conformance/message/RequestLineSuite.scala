package needletail.conformance.message

import needletail.conformance.client.Ask
import needletail.conformance.harness.{ByteClass, ConformanceSuite, MAY, MUST, Message, SHOULD, STATED}
import needletail.conformance.harness.Message.{head, target}
import needletail.conformance.harness.Outcome._

// A row of a table is a line.
// format: off

/** RFC 9112 §3: method, target, version, and what stands between them. */
class RequestLineSuite extends ConformanceSuite {

  private val notAllowed = status(405, 501)

  /** 505 says of a version what 400 says of a line (RFC 9110 §15.6.6). */
  private val refusedVersion = status(400, 505).thenClosed

  table("methods")(
    MUST("9110 §9.1", "are case-sensitive: get", head("get /plaintext HTTP/1.1", "Host: a"), notAllowed, refused),
    MUST("9110 §9.1", "are case-sensitive: Get", head("Get /plaintext HTTP/1.1", "Host: a"), notAllowed, refused),
    SHOULD("9110 §9.1", "an unknown one", head("BREW /plaintext HTTP/1.1", "Host: a"), notAllowed),
    SHOULD("9110 §9.1", "one that begins like GET", head("GETS /plaintext HTTP/1.1", "Host: a"), notAllowed),
    SHOULD("9110 §9.1", "one of a single letter", head("G /plaintext HTTP/1.1", "Host: a"), notAllowed),
    SHOULD("9110 §9.1", "one of every kind of token character", head("!#$%&'*+-.^_`|~09 /plaintext HTTP/1.1", "Host: a"), notAllowed),
    SHOULD("9112 §3", "one of 40 characters", head("M" * 40 + " /plaintext HTTP/1.1", "Host: a"), notAllowed, refused),
    SHOULD("9112 §3", "one of 7,000 characters", head("M" * 7000 + " /plaintext HTTP/1.1", "Host: a"), status(400, 405, 414, 431, 501)),
    SHOULD("9112 §3", "none", head(" /plaintext HTTP/1.1", "Host: a"), refused),
    SHOULD("9112 §3", "in quotes", head("\"GET\" /plaintext HTTP/1.1", "Host: a"), refused)
  )

  bytes(SHOULD, "9112 §3, 9110 §5.6.2", "in a method", "G", _ => head("T /plaintext HTTP/1.1", "Host: a")) {
    case 'E'                       => Seq(hello)
    case byte if ByteClass.isToken(byte) => Seq(notAllowed)
    case _                         => Seq(refused)
  }

  bytes(SHOULD, "9112 §2.2", "before a method", "", _ => head("GET /plaintext HTTP/1.1", "Host: a")) {
    case byte if ByteClass.isToken(byte) => Seq(notAllowed)
    // a lone LF can pass for an empty line, and a lenient reader skips blanks (§3)
    case byte if byte == ByteClass.LF || ByteClass.isBlank(byte) || byte == ByteClass.CR => Seq(hello, refused)
    case _ => Seq(refused)
  }

  table("white space in the request line")(
    MAY("9112 §3", "two SP after the method", head("GET  /plaintext HTTP/1.1", "Host: a"), hello, refused),
    MAY("9112 §3", "two SP before the version", head("GET /plaintext  HTTP/1.1", "Host: a"), hello, refused),
    MAY("9112 §3", "HTAB after the method", head("GET\t/plaintext HTTP/1.1", "Host: a"), hello, refused),
    MAY("9112 §3", "HTAB before the version", head("GET /plaintext\tHTTP/1.1", "Host: a"), hello, refused),
    MAY("9112 §3", "SP at the end", head("GET /plaintext HTTP/1.1 ", "Host: a"), hello, refused),
    MAY("9112 §3", "HTAB at the end", head("GET /plaintext HTTP/1.1\t", "Host: a"), hello, refused),
    SHOULD("9112 §3.2", "SP inside the target", head("GET /plain text HTTP/1.1", "Host: a"), refused, refusedVersion),
    SHOULD("9112 §3.2", "SP inside the query", head("GET /plaintext?a b HTTP/1.1", "Host: a"), refused, refusedVersion),
    SHOULD("9112 §3", "four words", head("GET /plaintext HTTP/1.1 HTTP/1.1", "Host: a"), refused, refusedVersion),
    SHOULD("9112 §3", "only a method", head("GET", "Host: a"), refused),
    SHOULD("9112 §3", "a method and SP", head("GET ", "Host: a"), refused),
    SHOULD("9112 §3", "no target", head("GET  HTTP/1.1", "Host: a"), refused),
    SHOULD("9112 §3", "no target, one SP", head("GET HTTP/1.1", "Host: a"), refused),
    SHOULD("9112 §3", "SP only", head("   ", "Host: a"), refused)
  )

  table("before the request line")(
    SHOULD("9112 §2.2", "one empty line", "\r\n" + target("/plaintext"), hello),
    MAY("9112 §2.2", "two empty lines", "\r\n\r\n" + target("/plaintext"), hello, refused),
    MAY("9112 §2.2", "an empty line of LF alone", "\n" + target("/plaintext"), hello, refused),
    MAY("9112 §2.2", "CR CR LF", "\r\r\n" + target("/plaintext"), hello, refused),
    SHOULD("9112 §2.2", "an empty line behind a body", Message.echo("Content-Length: 5") + "hello\r\n", ok("hello")).asking(Ask.get)
  )

  table("versions")(
    MUST("9112 §2.3", "1.1", head("GET /plaintext HTTP/1.1", "Host: a"), hello),
    MUST("9112 §9.3", "1.0", head("GET /plaintext HTTP/1.0", "Host: a"), hello.thenClosed),
    SHOULD("9110 §2.5", "1.2 as 1.1", head("GET /plaintext HTTP/1.2", "Host: a"), hello),
    SHOULD("9110 §2.5", "1.9 as 1.1", head("GET /plaintext HTTP/1.9", "Host: a"), hello),
    MUST("9112 §3.2", "1.2 without Host", head("GET /plaintext HTTP/1.2"), status(400)),
    MAY("9110 §15.6.6", "2.0", head("GET /plaintext HTTP/2.0", "Host: a"), refusedVersion),
    MAY("9110 §15.6.6", "3.0", head("GET /plaintext HTTP/3.0", "Host: a"), refusedVersion),
    MAY("9110 §15.6.6", "9.9", head("GET /plaintext HTTP/9.9", "Host: a"), refusedVersion),
    MAY("9110 §15.6.6", "0.9", head("GET /plaintext HTTP/0.9", "Host: a"), refusedVersion),
    MAY("9110 §15.6.6", "0.0", head("GET /plaintext HTTP/0.0", "Host: a"), refusedVersion),
    SHOULD("9112 §2.3", "two digits behind the point", head("GET /plaintext HTTP/1.10", "Host: a"), refusedVersion),
    SHOULD("9112 §2.3", "two digits before the point", head("GET /plaintext HTTP/11.1", "Host: a"), refusedVersion),
    SHOULD("9112 §2.3", "a leading zero", head("GET /plaintext HTTP/01.1", "Host: a"), refusedVersion),
    SHOULD("9112 §2.3", "no minor number", head("GET /plaintext HTTP/1", "Host: a"), refusedVersion),
    SHOULD("9112 §2.3", "nothing behind the point", head("GET /plaintext HTTP/1.", "Host: a"), refusedVersion),
    SHOULD("9112 §2.3", "nothing before the point", head("GET /plaintext HTTP/.1", "Host: a"), refusedVersion),
    SHOULD("9112 §2.3", "three numbers", head("GET /plaintext HTTP/1.1.1", "Host: a"), refusedVersion),
    SHOULD("9112 §2.3", "a comma for the point", head("GET /plaintext HTTP/1,1", "Host: a"), refusedVersion),
    SHOULD("9112 §2.3", "a sign", head("GET /plaintext HTTP/1.+1", "Host: a"), refusedVersion),
    SHOULD("9112 §2.3", "no slash", head("GET /plaintext HTTP 1.1", "Host: a"), refusedVersion),
    SHOULD("9112 §2.3", "SP behind the slash", head("GET /plaintext HTTP/ 1.1", "Host: a"), refusedVersion),
    MUST("9112 §2.3", "a name in lower case", head("GET /plaintext http/1.1", "Host: a"), refusedVersion),
    MUST("9112 §2.3", "another name", head("GET /plaintext HTTPS/1.1", "Host: a"), refusedVersion),
    MUST("9112 §2.3", "another name of four letters", head("GET /plaintext ICAP/1.0", "Host: a"), refusedVersion),
    SHOULD("9112 §2.3", "something behind it", head("GET /plaintext HTTP/1.1x", "Host: a"), refusedVersion),
    SHOULD("9112 §2.3", "the name alone", head("GET /plaintext HTTP", "Host: a"), refusedVersion),
    SHOULD("9112 §2.2", "none: HTTP/0.9", "GET /plaintext\r\n\r\n", refusedVersion, hungUp),
    SHOULD("9112 §2.2", "none, and fields", head("GET /plaintext", "Host: a"), refusedVersion, hungUp),
    SHOULD("9113 §3.4", "the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", refusedVersion, hungUp).unglued
  )

  bytes(SHOULD, "9112 §2.3", "minor version", "GET /plaintext HTTP/1.", _ => head("", "Host: a")) {
    case '0'                           => Seq(hello.thenClosed)
    case byte if ByteClass.isDigit(byte) => Seq(hello)
    case _                             => Seq(refusedVersion)
  }

  bytes(SHOULD, "9112 §2.3", "major version", "GET /plaintext HTTP/", _ => head(".1", "Host: a")) {
    case '1' => Seq(hello)
    case _   => Seq(refusedVersion)
  }

  bytes(MUST, "9112 §2.3", "in HTTP-name", "GET /plaintext H", _ => head("TP/1.1", "Host: a")) {
    case 'T' => Seq(hello)
    case _   => Seq(refusedVersion)
  }

  bytes(SHOULD, "9112 §2.2", "behind the version", "GET /plaintext HTTP/1.1", _ => head("", "Host: a")) {
    // white space at the end may be passed over, and a bare CR is such (§3)
    case byte if ByteClass.isBlank(byte) || byte == 11 || byte == 12 || byte == ByteClass.CR => Seq(hello, refused)
    // an LF that ends the line, and then an empty line that ends the head: no Host
    case _ => Seq(refusedVersion)
  }

  bytes(SHOULD, "9112 §3", "between method and target", "GET", _ => head("/plaintext HTTP/1.1", "Host: a")) {
    case ' '                                                                          => Seq(hello)
    case byte if byte == '\t' || byte == 11 || byte == 12 || byte == ByteClass.CR => Seq(hello, refused)
    case byte if ByteClass.isToken(byte)                                                => Seq(refused, notAllowed)
    case _                                                                            => Seq(refused)
  }

  bytes(STATED, "9112 §2.2", "behind the CR of the request line", "GET /plaintext HTTP/1.1\r", _ => head("Host: a")) {
    case byte if byte == ByteClass.LF => Seq(hello)
    case _                          => Seq(refusedVersion)
  }

  table("not HTTP at all")(
    SHOULD("9112 §2.2", "a TLS handshake",
      "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003" + "\u0000\n\r" * 60, refusedVersion, hungUp).unglued,
    SHOULD("9112 §2.2", "a line of text", "hello there\r\n\r\n", refusedVersion, hungUp),
    SHOULD("9112 §2.2", "a reply", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", refusedVersion, hungUp),
    SHOULD("9112 §2.2", "bytes above 127", "\u00ff\u00fe\u00fd\u0080 / HTTP/1.1\r\nHost: a\r\n\r\n", refusedVersion, hungUp),
    SHOULD("9112 §2.2", "NULs", "\u0000" * 64 + "\r\n\r\n", refusedVersion, hungUp).unglued
  )

  table("long targets")(
    SHOULD("9112 §3", "a request line of 8,000 bytes", target("/plaintext?" + "q" * (8000 - 24)), hello),
    MUST("9112 §3", "a target of 70,000 bytes", target("/plaintext?" + "q" * 70000), status(414).thenClosed),
    MUST("9112 §3", "a target of 1,000,000 bytes", target("/" + "q" * 1000000), status(414).thenClosed).unsplit,
    MUST("9112 §3", "a target of 70,000 bytes to HEAD", head("HEAD /" + "q" * 70000 + " HTTP/1.1", "Host: a"), status(414).thenClosed)
      .asking(Ask(head = true))
  )
}
