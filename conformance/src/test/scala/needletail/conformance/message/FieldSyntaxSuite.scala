package needletail.conformance.message

import needletail.conformance.harness.{ByteClass, ConformanceSuite, MAY, MUST, SHOULD, STATED}
import needletail.conformance.harness.Message.{echo, get, head}
import needletail.conformance.harness.Outcome._

// A row of a table is a line.
// format: off

/** RFC 9112 §5: field lines. */
class FieldSyntaxSuite extends ConformanceSuite {
  private val tooLargeHead = status(431).thenClosed

  table("field lines")(
    MUST("9112 §5", "any name of token characters", get("!#$%&'*+-.^_`|~09: x"), hello),
    MUST("9112 §5", "an empty value", get("X:"), hello),
    MUST("9112 §5", "blanks for a value", get("X: \t "), hello),
    MUST("9112 §5", "colons in a value", get("X: a:b::c"), hello),
    MUST("9112 §5", "no blank before the value", get("X:y"), hello),
    MUST("9110 §5.5", "obs-text in a value", get("X: \u00e9\u00ff\u0080"), hello),
    MUST("9110 §5.3", "a field that comes again", get("X: a", "X: b", "X: a"), hello),
    MUST("9110 §5.6.1", "a list with empty members", get("Accept: ,a/b,, ,c/d,"), hello),
    MUST("9112 §5.1", "SP before the colon", get("X : y"), refused),
    MUST("9112 §5.1", "HTAB before the colon", get("X\t: y"), refused),
    MUST("9112 §5.1", "SP before the colon of Host", head("GET /plaintext HTTP/1.1", "Host : a"), refused),
    MUST("9112 §5.1", "SP before the colon of Content-Length", echo("Content-Length : 5") + "hello", refused),
    MUST("9112 §5.1", "SP before the colon of Transfer-Encoding", echo("Transfer-Encoding : chunked") + "0\r\n\r\n", refused),
    MUST("9112 §5.1", "HTAB before the colon of Transfer-Encoding", echo("Transfer-Encoding\t: chunked") + "0\r\n\r\n", refused),
    SHOULD("9112 §5", "SP inside a name", get("X Y: z"), refused),
    SHOULD("9112 §5", "no name", get(": y"), refused),
    SHOULD("9112 §5", "no colon", get("X"), refused),
    SHOULD("9112 §5", "no colon, and a value", get("X y"), refused),
    SHOULD("9112 §5", "a request line among them", get("GET /json HTTP/1.1"), refused),
    SHOULD("9112 §5", "a name in quotes", get("\"X\": y"), refused),
    SHOULD("9112 §5", "a name beyond ASCII", get("X\u00e9: y"), refused),
    STATED("9112 §5.2", "folded", get("X: a", " b"), refused),
    STATED("9112 §5.2", "folded with HTAB", get("X: a", "\tb"), refused),
    STATED("9112 §5.2", "folded right behind the name", get("X:", " b"), refused),
    STATED("9112 §5.2", "folded to nothing", get("X: a", " "), refused),
    STATED("9112 §5.2", "a length that goes on", echo("Content-Length: 1", " 0") + "0123456789", refused),
    STATED("9112 §5.2", "a coding on the second line", echo("Transfer-Encoding:", " chunked") + "0\r\n\r\n", refused),
    STATED("9112 §5.2", "a field hidden in a fold", get("X: a", " Content-Length: 5"), refused),
    MUST("9112 §2.2", "white space before the first", head("GET /plaintext HTTP/1.1", " X: y", "Host: a"), hello, refused),
    MUST("9112 §2.2", "HTAB before the first", head("GET /plaintext HTTP/1.1", "\tX: y", "Host: a"), hello, refused),
    MUST("9112 §2.2", "white space before a first Host", head("GET /plaintext HTTP/1.1", " Host: a"), refused, status(400)),
    MUST("9110 §5.1", "names without case", head("POST /echo HTTP/1.1", "hOsT: a", "cONTENT-lENGTH: 5") + "hello", ok("hello")),
    MUST("9110 §5.1", "Content-LengthX is another field", get("Content-LengthX: 5"), hello),
    MUST("9110 §5.1", "Content-Lengt is another field", get("Content-Lengt: 5"), hello),
    MUST("9110 §5.1", "X-Content-Length is another field", get("X-Content-Length: 5"), hello),
    MUST("9110 §5.1", "Content_Length is another field", get("Content_Length: 5"), hello),
    MUST("9110 §5.1", "Transfer-Encodin is another field", get("Transfer-Encodin: chunked"), hello),
    MUST("9110 §5.1", "Transfer-Encodings is another field", get("Transfer-Encodings: chunked"), hello),
    MUST("9110 §5.1", "Connectio is another field", get("Connectio: close"), hello),
    MUST("9110 §5.1", "Expec is another field", get("Expec: 200-perhaps"), hello)
  )

  table("ends of lines")(
    MUST("9110 §5.5", "NUL in a value", get("X: a\u0000b"), refused),
    STATED("9112 §2.2", "a CR alone in a value", get("X: a\rb"), refused),
    STATED("9112 §2.2", "a CR alone before CR LF", get("X: a\r"), refused),
    STATED("9112 §2.2", "a CR alone for the end of a line", "GET /plaintext HTTP/1.1\rHost: a\r\n\r\n", refused),
    STATED("9112 §2.2", "a CR alone between fields", "GET /plaintext HTTP/1.1\r\nHost: a\rX: y\r\n\r\n", refused, status(400)),
    STATED("9112 §2.2", "a CR alone hides no field", "POST /echo HTTP/1.1\r\nHost: a\r\nX: y\rContent-Length: 5\r\n\r\n", refused),
    STATED("9112 §2.2", "a CR alone in the empty line", "GET /plaintext HTTP/1.1\r\nHost: a\r\n\rX: y\r\n\r\n", refused),
    STATED("9112 §2.2", "CR CR LF for the empty line", "GET /plaintext HTTP/1.1\r\nHost: a\r\n\r\r\n", refused).unglued,
    MAY("9112 §2.2", "an LF alone behind the request line", "GET /plaintext HTTP/1.1\nHost: a\r\n\r\n", hello, refused),
    MAY("9112 §2.2", "an LF alone behind a field", "GET /plaintext HTTP/1.1\r\nHost: a\nX: y\r\n\r\n", hello, refused),
    MAY("9112 §2.2", "an LF alone for the empty line", "GET /plaintext HTTP/1.1\r\nHost: a\r\n\n", hello, refused),
    MAY("9112 §2.2", "LF alone everywhere", "GET /plaintext HTTP/1.1\nHost: a\n\n", hello, refused),
    MUST("9112 §2.2", "an LF alone makes a line, or nothing at all", "GET /plaintext HTTP/1.1\r\nHost: a\r\nX: a\nb\r\n\r\n", refused)
  )

  bytes(SHOULD, "9112 §5, 9110 §5.6.2", "in a field's name", "GET /plaintext HTTP/1.1\r\nHost: a\r\nX", _ => "Y: z\r\n\r\n") {
    case byte if ByteClass.isToken(byte) || byte == ':' => Seq(hello)
    case _                                             => Seq(refused)
  }

  bytes(SHOULD, "9112 §5, 9110 §5.6.2", "first in a field's name", "GET /plaintext HTTP/1.1\r\nHost: a\r\n", _ => "Y: z\r\n\r\n") {
    case byte if ByteClass.isToken(byte) => Seq(hello)
    // an LF alone may pass for the empty line that ends the head: "Y: z" is then a request of its own
    case byte if byte == ByteClass.LF    => Seq(refused, hello + refused)
    case _                             => Seq(refused)
  }

  bytes(MUST, "9112 §5.1", "between a field's name and the colon", "GET /plaintext HTTP/1.1\r\nHost: a\r\nX", _ => ": z\r\n\r\n") {
    case byte if ByteClass.isToken(byte) || byte == ':' => Seq(hello)
    case _                                             => Seq(refused)
  }

  bytes(STATED, "9110 §5.5", "in a field's value", "GET /plaintext HTTP/1.1\r\nHost: a\r\nX: a", _ => "z\r\n\r\n") {
    case byte if byte == ByteClass.NUL || byte == ByteClass.CR || byte == ByteClass.LF => Seq(refused)
    case byte if ByteClass.isFieldValue(byte)                                    => Seq(hello)
    case _                                                                     => Seq(hello, refused)
  }

  bytes(STATED, "9110 §5.5", "first in a field's value", "GET /plaintext HTTP/1.1\r\nHost: a\r\nX:", _ => "z\r\n\r\n") {
    case byte if byte == ByteClass.NUL || byte == ByteClass.CR || byte == ByteClass.LF => Seq(refused)
    case byte if ByteClass.isFieldValue(byte)                                    => Seq(hello)
    case _                                                                     => Seq(hello, refused)
  }

  bytes(STATED, "9112 §2.2", "between CR and what follows", "GET /plaintext HTTP/1.1\r\nHost: a\r\nX: a\r", _ => "Y: z\r\n\r\n") {
    case byte if byte == ByteClass.LF => Seq(hello)
    case _                          => Seq(refused)
  }

  bytes(STATED, "9112 §2.2", "behind the CR of the empty line", "GET /plaintext HTTP/1.1\r\nHost: a\r\n\r", byte => if (byte == ByteClass.LF) "" else "\r\n\r\n") {
    case byte if byte == ByteClass.LF => Seq(hello)
    case _                          => Seq(refused)
  }

  table("sizes")(
    MUST("9110 §5.4", "a value of 4,000 bytes", get("X: " + "v" * 4000), hello),
    MUST("9110 §5.4", "60 fields", get((1 to 60).map(i => s"X-$i: value $i"): _*), hello),
    MUST("9110 §5.4", "a value of 100,000 bytes", get("X: " + "v" * 100000), tooLargeHead),
    MUST("9110 §5.4", "a name of 100,000 bytes", get("X" * 100000 + ": v"), tooLargeHead),
    MUST("9110 §5.4", "blanks before a value, 100,000 of them", get("X:" + " " * 100000 + "v"), tooLargeHead),
    MUST("9110 §5.4", "a value of 1,000,000 bytes", get("X: " + "v" * 1000000), tooLargeHead).unsplit,
    MUST("9110 §5.4", "5,000 fields", get((1 to 5000).map(i => s"X-$i: value"): _*), tooLargeHead).unsplit,
    MUST("9110 §5.4", "50,000 fields as short as can be", get(Seq.fill(50000)("a:"): _*), tooLargeHead).unsplit,
    MUST("9110 §5.4", "100,000 bytes to POST", echo("X: " + "v" * 100000, "Content-Length: 5") + "hello", tooLargeHead).unsplit,
    MUST("9110 §5.4", "100,000 bytes to HEAD", head("HEAD /plaintext HTTP/1.1", "Host: a", "X: " + "v" * 100000), tooLargeHead).unsplit
  )
}
