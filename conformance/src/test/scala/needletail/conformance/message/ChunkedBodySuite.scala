package needletail.conformance.message

import needletail.conformance.client.Reply
import needletail.conformance.harness.{
  After,
  ByteClass,
  ConformanceSuite,
  MAY,
  MUST,
  Outcome,
  SHOULD,
  STATED,
  Want
}
import needletail.conformance.harness.Message.{chunked, echo}
import needletail.conformance.harness.Outcome._

// A row of a table is a line.
// format: off

/** RFC 9112 §7.1: the chunked coding, in requests. The echo shows what was taken for data. */
class ChunkedBodySuite extends ConformanceSuite {
  private val last = "0\r\n\r\n"
  private val five = "5\r\nhello\r\n"

  private val tricky = "0\r\n\r\nGET /status/299 HTTP/1.1\r\nHost: a\r\n\r\n"

  table("chunks")(
    MUST("9112 §7.1", "one", chunked(five + last), ok("hello")),
    MUST("9112 §7.1", "none", chunked(last), ok("")),
    MUST("9112 §7.1", "two", chunked(five + "7\r\n, world\r\n" + last), ok("hello, world")),
    MUST("9112 §7.1", "thirty of one byte", chunked("1\r\nx\r\n" * 30 + last), ok("x" * 30)),
    MUST("9112 §7.1", "lower-case digits", chunked(s"1a\r\n${"y" * 26}\r\n$last"), ok("y" * 26)),
    MUST("9112 §7.1", "upper-case digits", chunked(s"1A\r\n${"y" * 26}\r\n$last"), ok("y" * 26)),
    MUST("9112 §7.1", "leading zeros", chunked("0005\r\nhello\r\n" + last), ok("hello")),
    MUST("9112 §7.1", "the last of many zeros", chunked(five + "00000\r\n\r\n"), ok("hello")),
    MUST("9112 §7.1", "data that looks like chunks", chunked(s"${tricky.length.toHexString}\r\n$tricky\r\n$last"), ok(tricky)),
    MUST("9112 §7.1", "data of CR and LF", chunked("4\r\n\r\n\r\n\r\n" + last), ok("\r\n\r\n")),
    MUST("9112 §7.1", "data of every byte",
      chunked("100\r\n" + (0 to 255).map(_.toChar).mkString + "\r\n" + last), ok((0 to 255).map(_.toChar).mkString)),
    MUST("9112 §7.1", "of 100,000 bytes", chunked(s"186A0\r\n${"z" * 100000}\r\n$last"), ok("z" * 100000)).unsplit,
    MAY("9112 §7.1", "40 leading zeros", chunked("0" * 40 + "5\r\nhello\r\n" + last), ok("hello"), refusedBody),
    MAY("9112 §7.1", "SP behind the size", chunked("5 \r\nhello\r\n" + last), ok("hello"), refusedBody),
    MAY("9112 §7.1", "HTAB behind the size", chunked("5\t\r\nhello\r\n" + last), ok("hello"), refusedBody)
  )

  private def size(value: String): String = chunked(s"$value\r\nhello\r\n$last")

  table("sizes that are none")(
    Seq(
      "", " 5", "\t5", "+5", "-5", "0x5", "x5", "5x", "5h", "g", "5.", "5,5", "5 5", "\"5\"", "5\u0000",
      "\u00005", "5\u000b", "5\u00a0", "\u00ef\u00bc\u0095", "-0", "#5", "5=5", "5:", "%35"
    ).map(value => MUST("9112 §7.1", s"[${Reply.visible(value)}]", size(value), refusedBody)): _*
  )

  table("sizes beyond all bounds")(
    Seq(
      "7fffffff", "80000000", "ffffffff", "100000005", "7fffffffffffffff", "8000000000000000",
      "fffffffffffffffb", "ffffffffffffffff", "10000000000000005", "00000000ffffffffffffffff5", "f" * 100
    ).map(value => MUST("9112 §7.1", value.take(40), size(value), tooLarge).atOnce): _*
  )

  table("what stands between chunks")(
    MUST("9112 §7.1", "no CR LF behind the data", chunked("5\r\nhello0\r\n\r\n"), refusedBody),
    MUST("9112 §7.1", "no CR LF between two", chunked("5\r\nhello5\r\nhello\r\n" + last), refusedBody),
    MUST("9112 §7.1", "more data than the size", chunked("5\r\nhello!\r\n" + last), refusedBody),
    MUST("9112 §7.1", "less data than the size", chunked("6\r\nhello\r\n" + last), refusedBody),
    MUST("9112 §7.1", "two CR LF behind the data", chunked("5\r\nhello\r\n\r\n" + last), refusedBody),
    STATED("9112 §2.2", "an LF alone behind the data", chunked("5\r\nhello\n" + last), refusedBody),
    STATED("9112 §2.2", "a CR alone behind the data", chunked("5\r\nhello\r" + last), refusedBody),
    STATED("9112 §2.2", "an LF alone behind the size", chunked("5\nhello\r\n" + last), refusedBody),
    STATED("9112 §2.2", "a CR alone behind the size", chunked("5\rhello\r\n" + last), refusedBody),
    STATED("9112 §2.2", "CR CR LF behind the size", chunked("5\r\r\nhello\r\n" + last), refusedBody),
    STATED("9112 §2.2", "an LF alone behind the last size", chunked(five + "0\n\r\n"), refusedBody),
    MAY("9112 §2.2", "an LF alone at the end", chunked(five + "0\r\n\n"), ok("hello"), refusedBody),
    STATED("9112 §2.2", "LF alone throughout", chunked("5\nhello\n0\n\n"), refusedBody)
  )

  table("extensions")(
    MUST("9112 §7.1.1", "a name", chunked("5;a\r\nhello\r\n" + last), ok("hello")),
    MUST("9112 §7.1.1", "a name and a value", chunked("5;a=b\r\nhello\r\n" + last), ok("hello")),
    MUST("9112 §7.1.1", "two", chunked("5;a=b;c\r\nhello\r\n" + last), ok("hello")),
    MUST("9112 §7.1.1", "a quoted value", chunked("5;a=\"b c\"\r\nhello\r\n" + last), ok("hello")),
    MUST("9112 §7.1.1", "an empty quoted value", chunked("5;a=\"\"\r\nhello\r\n" + last), ok("hello")),
    MUST("9112 §7.1.1", "a quoted semicolon", chunked("5;a=\"b;c\"\r\nhello\r\n" + last), ok("hello")),
    MUST("9112 §7.1.1", "escapes in quotes", chunked("5;a=\"b\\\"c\\\\\"\r\nhello\r\n" + last), ok("hello")),
    MUST("9112 §7.1.1", "obs-text in quotes", chunked("5;a=\"\u00e9\"\r\nhello\r\n" + last), ok("hello")),
    MUST("9112 §7.1.1", "digits like a size", chunked("5;5\r\nhello\r\n" + last), ok("hello")),
    MUST("9112 §7.1.1", "blanks around", chunked("5 ;\ta = b\r\nhello\r\n" + last), ok("hello")),
    MUST("9112 §7.1.1", "in the last chunk", chunked(five + "0;a=b\r\n\r\n"), ok("hello")),
    MUST("9112 §7.1.1", "of 200 bytes", chunked(s"5;a=${"b" * 200}\r\nhello\r\n$last"), ok("hello")),
    MAY("9112 §7.1.1", "no name", chunked("5;\r\nhello\r\n" + last), ok("hello"), refusedBody),
    MAY("9112 §7.1.1", "no name, but a value", chunked("5;=b\r\nhello\r\n" + last), ok("hello"), refusedBody),
    MAY("9112 §7.1.1", "a name and no value", chunked("5;a=\r\nhello\r\n" + last), ok("hello"), refusedBody),
    MAY("9112 §7.1.1", "quotes that don't end", chunked("5;a=\"b\r\nhello\r\n" + last), ok("hello"), refusedBody),
    MAY("9112 §7.1.1", "of 20,000 bytes",
      chunked(s"5;a=${"b" * 20000}\r\nhello\r\n$last"), ok("hello"), status(400, 413, 431).thenClosed, refusedBody).unsplit,
    STATED("9112 §2.2", "an LF alone inside", chunked("5;a\nhello\r\n" + last), refusedBody),
    STATED("9112 §2.2", "an LF alone inside, and CR LF later", chunked("5;a\nb\r\nhello\r\n" + last), refusedBody),
    STATED("9112 §2.2", "a CR alone inside", chunked("5;a\rb\r\nhello\r\n" + last), refusedBody),
    STATED("9112 §2.2", "an LF alone in quotes", chunked("5;a=\"\n\"\r\nhello\r\n" + last), refusedBody),
    STATED("9112 §2.2", "CR LF in quotes", chunked("5;a=\"\r\n\"\r\nhello\r\n" + last), refusedBody),
    STATED("9110 §5.5", "NUL inside", chunked("5;a\u0000\r\nhello\r\n" + last), refusedBody)
  )

  table("trailers")(
    MUST("9112 §7.1.2", "one", chunked(five + "0\r\nX: y\r\n\r\n"), ok("hello")),
    MUST("9112 §7.1.2", "three", chunked(five + "0\r\nX: y\r\nZ:\r\nX: z\r\n\r\n"), ok("hello")),
    MUST("9110 §6.5.1", "a length is none", chunked(five + "0\r\nContent-Length: 3\r\n\r\n"), ok("hello"), refusedBody),
    MUST("9110 §6.5.1", "a coding is none", chunked(five + "0\r\nTransfer-Encoding: gzip\r\n\r\n"), ok("hello"), refusedBody),
    MUST("9110 §6.5.1", "another Host", chunked(five + "0\r\nHost: b\r\n\r\n"), ok("hello"), refusedBody),
    MUST("9110 §6.5.1", "Connection: close closes or is passed over",
      chunked(five + "0\r\nConnection: close\r\n\r\n"), ok("hello").asSaid, refusedBody),
    SHOULD("9112 §5", "no colon", chunked(five + "0\r\nX\r\n\r\n"), refusedBody),
    SHOULD("9112 §5", "no name", chunked(five + "0\r\n: y\r\n\r\n"), refusedBody),
    MUST("9112 §5.1", "SP before the colon", chunked(five + "0\r\nX : y\r\n\r\n"), refusedBody),
    STATED("9112 §5.2", "folded", chunked(five + "0\r\nX: y\r\n z\r\n\r\n"), refusedBody),
    STATED("9112 §2.2", "white space first", chunked(five + "0\r\n X: y\r\n\r\n"), refusedBody),
    MUST("9110 §5.5", "NUL in a value", chunked(five + "0\r\nX: \u0000\r\n\r\n"), refusedBody),
    STATED("9112 §2.2", "a CR alone in a value", chunked(five + "0\r\nX: a\rb\r\n\r\n"), refusedBody),
    MUST("9110 §5.4", "of 200,000 bytes",
      chunked(five + s"0\r\nX: ${"y" * 200000}\r\n\r\n"), Outcome(Seq(Want((400 to 499).toSet, mayBreakOff = true)), After.Closed)).unsplit,
    MUST("9110 §5.4", "50,000 of them",
      chunked(five + s"0\r\n${"a:b\r\n" * 50000}\r\n"), Outcome(Seq(Want((400 to 499).toSet, mayBreakOff = true)), After.Closed)).unsplit
  )

  private val begin = echo("Transfer-Encoding: chunked")

  bytes(MUST, "9112 §7.1", "behind the digit of a size", begin + "5", byte =>
    if (ByteClass.isHex(byte)) s"\r\n${"x" * Integer.parseInt(s"5${byte.toChar}", 16)}\r\n$last" else s"\r\nhello\r\n$last"
  ) {
    case byte if ByteClass.isHex(byte)                   => Seq(ok("x" * Integer.parseInt(s"5${byte.toChar}", 16)))
    case byte if ByteClass.isBlank(byte) || byte == ';' => Seq(ok("hello"), refusedBody)
    case _                                             => Seq(refusedBody)
  }

  bytes(MUST, "9112 §7.1", "before the digit of a size", begin, byte =>
    if (ByteClass.isHex(byte)) s"5\r\n${"x" * Integer.parseInt(s"${byte.toChar}5", 16)}\r\n$last" else s"5\r\nhello\r\n$last"
  ) {
    case byte if ByteClass.isHex(byte) => Seq(ok("x" * Integer.parseInt(s"${byte.toChar}5", 16)))
    case _                           => Seq(refusedBody)
  }

  bytes(STATED, "9112 §2.2", "behind the CR of a size line", begin + "5\r", _ => s"hello\r\n$last") {
    case byte if byte == ByteClass.LF => Seq(ok("hello"))
    case _                          => Seq(refusedBody)
  }

  bytes(STATED, "9112 §7.1", "behind the data", begin + "5\r\nhello", _ => s"\n$last") {
    case byte if byte == ByteClass.CR => Seq(ok("hello"))
    case _                          => Seq(refusedBody)
  }

  bytes(STATED, "9112 §7.1", "behind the CR after the data", begin + "5\r\nhello\r", _ => last) {
    case byte if byte == ByteClass.LF => Seq(ok("hello"))
    case _                          => Seq(refusedBody)
  }

  bytes(STATED, "9112 §7.1.1", "in an extension", begin + "5;a", _ => s"z\r\nhello\r\n$last") {
    case byte if byte == ByteClass.CR || byte == ByteClass.LF || byte == ByteClass.NUL => Seq(refusedBody)
    case byte if ByteClass.isToken(byte) || byte == ';' || byte == '='         => Seq(ok("hello"))
    case _                                                                     => Seq(ok("hello"), refusedBody)
  }

  bytes(STATED, "9112 §7.1.1", "in a quoted value of an extension", begin + "5;a=\"b", _ => s"z\"\r\nhello\r\n$last") {
    case byte if byte == ByteClass.CR || byte == ByteClass.LF || byte == ByteClass.NUL => Seq(refusedBody)
    case byte if ByteClass.isControl(byte) && byte != '\t' || byte == '"'      => Seq(ok("hello"), refusedBody)
    case _                                                                     => Seq(ok("hello"))
  }

  bytes(STATED, "9112 §7.1.2", "in a trailer's name", begin + five + "0\r\nX", _ => "Y: z\r\n\r\n") {
    case byte if ByteClass.isToken(byte) || byte == ':' => Seq(ok("hello"))
    case _                                             => Seq(refusedBody)
  }

  bytes(STATED, "9112 §7.1.2", "in a trailer's value", begin + five + "0\r\nX: a", _ => "z\r\n\r\n") {
    case byte if byte == ByteClass.CR || byte == ByteClass.LF || byte == ByteClass.NUL => Seq(refusedBody)
    case byte if ByteClass.isFieldValue(byte)                                    => Seq(ok("hello"))
    case _                                                                     => Seq(ok("hello"), refusedBody)
  }

  bytes(STATED, "9112 §7.1", "behind the last CR", begin + five + "0\r\n\r", byte => if (byte == ByteClass.LF) "" else "\r\n\r\n") {
    case byte if byte == ByteClass.LF => Seq(ok("hello"))
    case _                          => Seq(refusedBody)
  }
}
