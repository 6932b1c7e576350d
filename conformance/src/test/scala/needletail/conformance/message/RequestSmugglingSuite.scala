package needletail.conformance.message

import needletail.conformance.client.Reply
import needletail.conformance.harness.{ByteClass, Case, ConformanceSuite, MAY, MUST, Outcome, SHOULD, STATED}
import needletail.conformance.harness.Message.{echo, get, head}
import needletail.conformance.harness.Outcome._

// A row of a table is a line.
// format: off

/** RFC 9112 §6: where a request ends must never be doubtful, or two servers in a row disagree about it. */
class RequestSmugglingSuite extends ConformanceSuite {
  private val hidden  = "GET /status/299 HTTP/1.1\r\nHost: a\r\n\r\n"
  private val chunked = "5\r\nhello\r\n0\r\n\r\n"

  private def length(value: String): String = echo(s"Content-Length: $value") + "hello"

  private def coding(value: String): String = echo(s"Transfer-Encoding: $value") + chunked

  table("Content-Length")(
    MUST("9112 §6.3", "a body of five", length("5"), ok("hello")),
    MUST("9112 §6.3", "no body", echo("Content-Length: 0"), ok("")),
    MUST("9112 §6.3", "neither length nor coding is no body", echo(), ok("")),
    MUST("9110 §5.5", "blanks around", echo("Content-Length: \t 5 \t ") + "hello", ok("hello")),
    MUST("9110 §8.6", "leading zeros", length("0005"), ok("hello")),
    MUST("9110 §8.6", "30 leading zeros", length("0" * 30 + "5"), ok("hello"), refused),
    MUST("9112 §6.3", "the body is no request", echo(s"Content-Length: ${hidden.length}") + hidden, ok(hidden)),
    MUST("9110 §8.6", "the same twice in a list", length("5, 5"), ok("hello"), refused),
    MUST("9110 §8.6", "the same in two lines", echo("Content-Length: 5", "Content-Length: 5") + "hello", ok("hello"), refused),
    MUST("9112 §6.3", "differing in a list", length("5, 6"), refused),
    MUST("9112 §6.3", "differing in a list, 0 last", length("5, 0"), refused),
    MUST("9112 §6.3", "differing in two lines", echo("Content-Length: 5", "Content-Length: 6") + "hello", refused),
    MUST("9112 §6.3", "differing in two lines, 0 first", echo("Content-Length: 0", "Content-Length: 5") + "hello", refused),
    MUST("9112 §6.3", "differing in two lines apart, in another case",
      echo("Content-Length: 5", "X: y", "content-length: 0") + "hello", refused),
    MUST("9112 §6.3", "one of two is none", echo("Content-Length: 5", "Content-Length: x") + "hello", refused),
    MUST("9112 §6.3", "one of two is empty", echo("Content-Length: 5", "Content-Length:") + "hello", refused),
    MUST("9112 §6.3", "equal in value only", length("5, 05"), refused, ok("hello")),
    MUST("9110 §5.6.1", "an empty member", length("5,"), refused, ok("hello")),
    MUST("9110 §5.6.1", "an empty member before", length(",5"), refused, ok("hello")),
    MUST("9112 §6.3", "empty", echo("Content-Length:") + "hello", refused),
    MUST("9112 §6.3", "blanks", echo("Content-Length:  ") + "hello", refused)
  )

  table("Content-Length that is none")(
    Seq(
      "+5", "-5", "-0", "+0", "5 5", "0 5", "5 0", "0x5", "5h", "5.0", "5e0", "5;", "5;q=1", "\"5\"", "'5'",
      "five", "5_0", "0b101", "\u00b2", "\u00ef\u00bc\u0095", "5\u0000", "5\u000b", "5\u000c", "\u000b5",
      "5\u00a0", "5 bytes", "(5)", "5\u007f", "NaN", "true", "5-5", "05-", "1,2,3"
    ).map(value => MUST("9112 §6.3", Reply.visible(value), length(value), refused)): _*
  )

  table("Content-Length beyond all bounds")(
    Seq(
      "2147483648", "4294967296", "4294967301", "9223372036854775807", "9223372036854775808",
      "18446744073709551616", "18446744073709551621", "340282366920938463463374607431768211461", "9" * 100,
      "9" * 2000
    ).map(value => MUST("9110 §8.6", value.take(40), length(value), tooLarge).atOnce): _*
  )

  bytes(MUST, "9112 §6.3", "before the digits of a length", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: ", byte => {
    val size = if (byte >= '1' && byte <= '9') (byte - '0') * 10 + 5 else 5
    "5\r\n\r\n" + "hello" * (size / 5)
  }) {
    case byte if ByteClass.isDigit(byte) => Seq(ok("hello" * (if (byte == '0') 1 else 2 * (byte - '0') + 1)))
    case byte if ByteClass.isBlank(byte) => Seq(ok("hello"))
    case ','                           => Seq(ok("hello"), refused)
    case _                             => Seq(refused)
  }

  bytes(MUST, "9112 §6.3", "behind the digits of a length", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5", byte => {
    val size = if (ByteClass.isDigit(byte)) 50 + byte - '0' else 5
    (if (byte == ByteClass.LF) "" else "\r\n") + "X: y\r\n\r\n" + "hello".padTo(size, 'x')
  }) {
    case byte if ByteClass.isDigit(byte) => Seq(ok("hello".padTo(50 + byte - '0', 'x')))
    case byte if ByteClass.isBlank(byte) => Seq(ok("hello"))
    case ','                           => Seq(ok("hello"), refused)
    // an LF alone may pass for the end of the line
    case byte if byte == ByteClass.LF    => Seq(ok("hello"), refused)
    case _                             => Seq(refused)
  }

  table("Transfer-Encoding")(
    MUST("9112 §7.1", "chunked", coding("chunked"), ok("hello")),
    MUST("9112 §7", "without case", coding("cHuNkEd"), ok("hello")),
    MUST("9110 §5.5", "blanks around", echo("Transfer-Encoding: \t chunked \t ") + chunked, ok("hello")),
    MUST("9112 §6.1", "chunked twice", coding("chunked, chunked"), refusedCoding),
    MUST("9112 §6.1", "chunked twice in two lines",
      echo("Transfer-Encoding: chunked", "Transfer-Encoding: chunked") + chunked, refusedCoding),
    MUST("9112 §6.3", "chunked is not last", coding("chunked, gzip"), refusedCoding),
    MUST("9112 §6.3", "chunked is not last, in two lines",
      echo("Transfer-Encoding: chunked", "Transfer-Encoding: identity") + chunked, refusedCoding),
    SHOULD("9112 §6.1", "an unknown coding before chunked", coding("xyz, chunked"), refusedCoding),
    SHOULD("9112 §6.1", "gzip before chunked", coding("gzip, chunked"), refusedCoding, ok("hello").thenClosed),
    SHOULD("9112 §6.1", "identity before chunked", coding("identity, chunked"), refusedCoding),
    SHOULD("9112 §6.1", "identity before chunked, in two lines",
      echo("Transfer-Encoding: identity", "Transfer-Encoding: chunked") + chunked, refusedCoding),
    MAY("9110 §5.6.1", "an empty member behind", coding("chunked,"), ok("hello"), refusedCoding),
    MAY("9110 §5.6.1", "an empty member before", coding(",chunked"), ok("hello"), refusedCoding),
    MUST("9112 §6.3", "empty", echo("Transfer-Encoding:") + chunked, refusedCoding),
    MUST("9112 §6.3", "empty, with a length", echo("Transfer-Encoding:", "Content-Length: 5") + "hello", refusedCoding, ok("hello")),
    MUST("9112 §6.3", "empty beside chunked",
      echo("Transfer-Encoding:", "Transfer-Encoding: chunked") + chunked, refusedCoding, ok("hello"))
  )

  table("Transfer-Encoding that is not chunked")(
    Seq(
      "identity", "gzip", "xyz", "chunke", "chunkedd", "c", "xchunked", "chunked-x", "x-chunked",
      "\"chunked\"", "'chunked'", "chunked;", "chunked;q=1", "chunked; a=b", ";chunked", "chunked chunked",
      "x chunked", "chunked x", "\u000bchunked", "chunked\u000b", "\u000cchunked", "chunked\u0000",
      "chunked/1", "chun ked", "chun-ked", "chunk\u00e9d", "\u00a0chunked", "chunked\u00ff", "[chunked]",
      "cow", "chunked=1", "%63hunked"
    ).map(value => MUST("9112 §6.3", Reply.visible(value), coding(value), refusedCoding)): _*
  )

  bytes(MUST, "9112 §6.1", "before chunked", "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ", _ => "chunked\r\n\r\n" + chunked) {
    case byte if ByteClass.isBlank(byte) => Seq(ok("hello"))
    case ','                           => Seq(ok("hello"), refusedCoding)
    case _                             => Seq(refusedCoding)
  }

  bytes(MUST, "9112 §6.1", "behind chunked", "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked", _ => "\r\nX: y\r\n\r\n" + chunked) {
    case byte if ByteClass.isBlank(byte) => Seq(ok("hello"))
    case ','                           => Seq(ok("hello"), refusedCoding)
    // as a line's end it makes "X: y" the first line of the body, which is no chunk
    case byte if byte == ByteClass.LF    => Seq(refusedCoding, refusedBody)
    case _                             => Seq(refusedCoding)
  }

  private val teAndCl = for {
    (lengthName, lengthLine) <- Seq("the body's length" -> "15", "0" -> "0", "5" -> "5", "a longer one" -> "1000")
    codingLine               <- Seq("chunked", "gzip, chunked", "identity", "xchunked")
    codingFirst              <- Seq(true, false)
  } yield {
    val lines = Seq(s"Transfer-Encoding: $codingLine", s"Content-Length: $lengthLine")
    val name  = if (codingFirst) s"$codingLine before $lengthName" else s"$codingLine behind $lengthName"
    STATED("9112 §6.3", name, echo((if (codingFirst) lines else lines.reverse): _*) + chunked, refusedCoding)
  }

  table("both Transfer-Encoding and Content-Length")(
    teAndCl ++ Seq(
      STATED("9112 §6.3", "to a resource without a body", get("Content-Length: 5", "Transfer-Encoding: chunked") + "0\r\n\r\n", refused),
      STATED("9112 §6.3", "CL.TE", echo("Content-Length: 6", "Transfer-Encoding: chunked") + "0\r\n\r\nG", refused),
      STATED("9112 §6.3", "TE.CL",
        echo("Content-Length: 4", "Transfer-Encoding: chunked") + s"${hidden.length.toHexString}\r\n$hidden\r\n0\r\n\r\n", refused),
      STATED("9112 §6.3", "two codings and a length",
        echo("Transfer-Encoding: chunked", "Transfer-Encoding: x", "Content-Length: 5") + chunked, refusedCoding),
      STATED("9112 §6.3", "two lengths and a coding",
        echo("Content-Length: 5", "Transfer-Encoding: chunked", "Content-Length: 5") + chunked, refused)
    ): _*
  )

  private def oneZero(lines: String*): String = head("POST /echo HTTP/1.0" +: lines: _*)

  table("HTTP/1.0")(
    MUST("9112 §6.3", "a length", oneZero("Content-Length: 5") + "hello", ok("hello").thenClosed),
    MUST("9112 §6.1", "a coding is faulty framing", oneZero("Transfer-Encoding: chunked") + chunked, ok("hello").thenClosed, refusedCoding),
    MUST("9112 §6.1", "a coding closes in spite of keep-alive",
      oneZero("Transfer-Encoding: chunked", "Connection: keep-alive") + chunked, ok("hello").thenClosed, refusedCoding),
    MUST("9112 §6.1", "a coding and a length", oneZero("Transfer-Encoding: chunked", "Content-Length: 5") + chunked, refusedCoding),
    MUST("9112 §6.3", "no length is no body", oneZero(), ok("").thenClosed)
  )

  /** What a request carries whose resource does not read it. */
  private def unread(line: String, lines: String*): Seq[String] = Seq(
    head(line +: "Host: a" +: s"Content-Length: ${hidden.length}" +: lines: _*) + hidden,
    head(line +: "Host: a" +: "Transfer-Encoding: chunked" +: lines: _*) + s"${hidden.length.toHexString}\r\n$hidden\r\n0\r\n\r\n"
  )

  private def ignored(name: String, line: String, outcomes: Outcome*): Seq[Case] =
    unread(line).zip(Seq("by length", "chunked")).map { case (request, how) =>
      MUST("9112 §9.3", s"$name, $how", request, outcomes: _*)
    }

  table("a body that nobody reads is never a request")(
    ignored("GET", "GET /plaintext HTTP/1.1", hello.asSaid) ++
      ignored("HEAD", "HEAD /plaintext HTTP/1.1", status(200)) ++
      ignored("a method not allowed", "POST /plaintext HTTP/1.1", status(405)) ++
      ignored("an unknown method", "BREW /plaintext HTTP/1.1", status(405, 501)) ++
      ignored("DELETE", "DELETE /plaintext HTTP/1.1", status(405)) ++
      ignored("OPTIONS", "OPTIONS /plaintext HTTP/1.1", status(200, 204)) ++
      ignored("OPTIONS *", "OPTIONS * HTTP/1.1", status(200, 204)) ++
      ignored("TRACE", "TRACE /plaintext HTTP/1.1", anyClientError) ++
      ignored("CONNECT", "CONNECT a:80 HTTP/1.1", anyClientError.thenClosed, anyClientError) ++
      ignored("an unknown path", "POST /nope HTTP/1.1", status(404)) ++
      ignored("a status that has no body", "GET /status/204 HTTP/1.1", status(204)) ++
      ignored("304", "GET /status/304 HTTP/1.1", status(304)) ++
      ignored("an error", "GET /status/500 HTTP/1.1", status(500)) ++
      ignored("HTTP/1.0", "GET /plaintext HTTP/1.0", hello.thenClosed, refusedCoding): _*
  )
}
