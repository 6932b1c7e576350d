package needletail.http

import java.nio.charset.StandardCharsets.ISO_8859_1

import needletail.http.http1.{HeadLimits, HeadParser}

/** What a parser made of some bytes: a request, a status to refuse it with, or the wish for more. */
sealed abstract class Outcome
object Outcome {
  case object More                extends Outcome
  case class Refused(status: Int) extends Outcome
  case class Read(
      method: String,
      target: String,
      path: String,
      query: String, // null where there is none
      authority: String,
      minor: Int,
      fields: List[(String, String)],
      contentLength: Long,
      chunked: Boolean,
      keepAlive: Boolean,
      expectContinue: Boolean,
      length: Int
  ) extends Outcome
}

/** Runs a head through the parser: whole, split at every byte, dripping in, and with a next request behind it. */
private[needletail] object Wire {
  val nextRequest = "PUT /next HTTP/1.1\r\nHost: next\r\nContent-Length: 3\r\n\r\n"

  def bytes(text: String): Array[Byte] = text.getBytes(ISO_8859_1)

  /** In one piece, with other bytes before and behind it in the array. */
  def whole(text: String, limits: HeadLimits): Outcome = {
    val parser = new HeadParser(limits)
    outcome(parser, feed(parser, bytes(text), text.length, 3))
  }

  /** The same outcome every way, or the test fails. */
  def read(text: String, limits: HeadLimits = HeadLimits()): Outcome = {
    val all      = bytes(text)
    val expected = whole(text, limits)
    val size     = expected match {
      case r: Outcome.Read => r.length
      case _               => all.length
    }
    // One parser for all splits: what one head left behind must not be seen by the next
    val parser = new HeadParser(limits)
    var split  = 0
    while (split <= size) {
      parser.reset()
      val first = feed(parser, all, split, split % 5)
      val last  = if (first != 0) first else feed(parser, all, all.length, 7)
      same(text, s"split at $split", outcome(parser, last), expected)
      split += (if (size < 700) 1 else 97)
    }
    parser.reset()
    var dripped = 0
    var n       = 0
    while (dripped == 0 && n < all.length) {
      n += 1
      dripped = feed(parser, all, n, n % 3)
    }
    same(text, "byte by byte", outcome(parser, dripped), expected)
    expected match {
      case Outcome.More => ()
      case _            =>
        val stuck = bytes(text + nextRequest)
        val fresh = new HeadParser(limits)
        val taken = fresh.parse(stuck, 0, stuck.length)
        same(text, "with a request behind it", outcome(fresh, taken), expected)
        if (taken > 0 && taken == text.length) {
          val next = fresh.parse(stuck, taken, stuck.length)
          same(text, "the request behind it", outcome(fresh, next), whole(nextRequest, HeadLimits()))
        }
    }
    expected
  }

  private def same(text: String, way: String, obtained: Outcome, expected: Outcome): Unit =
    if (obtained != expected)
      throw new AssertionError(s"$way: $obtained, but whole: $expected, for ${show(text)}")

  def show(text: String): String =
    text.take(300).flatMap(c =>
      if (c == '\r') "\\r"
      else if (c == '\n') "\\n" else if (c < ' ' || c > '~') f"\\x${c.toInt}%02x" else c.toString
    )

  /** Shows the parser the first `count` bytes, at `shift` in an array full of other things. */
  private def feed(parser: HeadParser, all: Array[Byte], count: Int, shift: Int): Int = {
    val room = new Array[Byte](shift + count + 4)
    java.util.Arrays.fill(room, 'X'.toByte)
    System.arraycopy(all, 0, room, shift, count)
    parser.parse(room, shift, shift + count)
  }

  private def outcome(parser: HeadParser, answer: Int): Outcome =
    if (answer == HeadParser.More) Outcome.More
    else if (answer == HeadParser.Bad) Outcome.Refused(parser.error.status.code)
    else {
      val h = parser.head
      if (answer != h.length) throw new AssertionError("the answer must be the head's length")
      Outcome.Read(
        h.method.name,
        h.text(h.targetFrom, h.targetUntil),
        new String(h.pathBytes, h.pathStart, h.pathEnd - h.pathStart, ISO_8859_1),
        if (h.queryFrom < 0) null else h.text(h.queryFrom, h.queryUntil),
        if (h.authorityFrom < 0) "" else h.text(h.authorityFrom, h.authorityUntil),
        h.minor,
        (0 until h.fieldCount).map(i => (h.name(i), h.value(i))).toList,
        h.contentLength,
        h.chunked,
        h.keepAlive,
        h.expectContinue,
        h.length
      )
    }
}

/** For suites that are tables of heads. */
abstract class WireSuite extends needletail.testing.Suite {

  /** A GET of / in HTTP/1.1 with a Host and these lines. */
  def get(lines: String*): String                       = head("GET / HTTP/1.1", ("Host: a" +: lines)*)
  def head(requestLine: String, lines: String*): String =
    (requestLine +: lines).map(_ + "\r\n").mkString + "\r\n"

  private[needletail] def request(text: String, limits: HeadLimits = HeadLimits()): Outcome.Read =
    Wire.read(text, limits) match {
      case r: Outcome.Read => r
      case other           => fail(s"$other for ${Wire.show(text)}")
    }

  private[needletail] def refused(status: Int, text: String, limits: HeadLimits = HeadLimits()): Unit =
    assertEquals(Wire.read(text, limits), Outcome.Refused(status): Outcome, clue(Wire.show(text)))
}
