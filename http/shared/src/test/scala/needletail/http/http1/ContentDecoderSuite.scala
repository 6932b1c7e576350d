package needletail.http.http1

import needletail.http.Wire
import needletail.http.message.Status

class ContentDecoderSuite extends needletail.testing.Suite {
  private val next = "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc"

  /** What became of content: its data, its trailers and how many bytes it took, or the status of its error. */
  private sealed abstract class Result
  private case class Complete(data: String, trailers: List[(String, String)], used: Int) extends Result
  private case class Failed(status: Int)                                                 extends Result
  private case class More(data: String, left: Long, chunkLeft: Long)                     extends Result

  /** Decodes the bytes in pieces of these sizes, the last size again and again, each at another place of an array. */
  private def decode(decoder: ContentDecoder, text: String, sizes: List[Int]): Result = {
    val all  = Wire.bytes(text)
    val data = new StringBuilder
    var left = sizes
    var used = 0
    while (used < all.length && !decoder.isOver) {
      val n = Math.min(left.head, all.length - used)
      if (left.tail.nonEmpty) left = left.tail
      val offset = 2 + used % 3
      val room   = new Array[Byte](offset + n + 3)
      System.arraycopy(all, used, room, offset, n)
      var p = offset
      while (p < offset + n && !decoder.isOver) {
        val q = decoder.decode(room, p, offset + n)
        assert(p <= decoder.dataFrom && decoder.dataFrom <= decoder.dataUntil && decoder.dataUntil <= q)
        data ++= new String(room, decoder.dataFrom, decoder.dataUntil - decoder.dataFrom, "ISO-8859-1")
        assertEquals(decoder.total, data.length.toLong)
        if (decoder.error != null) assertEquals(decoder.dataFrom, decoder.dataUntil)
        else if (!decoder.isComplete && decoder.dataFrom == decoder.dataUntil) assertEquals(q, offset + n)
        p = q
      }
      used += p - offset
    }
    if (decoder.error != null) Failed(decoder.error.status.code)
    else if (decoder.isComplete) Complete(data.toString, decoder.trailers.toList, used)
    else More(data.toString, decoder.left, decoder.chunkLeft)
  }

  /** The same result whole, split at every byte, byte by byte and with another message behind it. */
  private def everyWay(text: String)(begin: ContentDecoder => Unit): Result = {
    val reused = new ContentDecoder(200, 5)

    def once(text: String, sizes: List[Int]): Result = {
      begin(reused)
      decode(reused, text, sizes)
    }
    val fresh = new ContentDecoder(200, 5)
    begin(fresh)
    val whole = decode(fresh, text, List(text.length))
    (1 until text.length).foreach(i =>
      assertEquals(once(text, List(i, text.length)), whole, clue(s"$i of ${Wire.show(text)}"))
    )
    List(1, 2, 3).foreach(n => assertEquals(once(text, List(n)), whole, clue(s"$n of ${Wire.show(text)}")))
    whole match {
      case Complete(_, _, used) =>
        assertEquals(used, text.length, clue(Wire.show(text)))
        (List(text.length + next.length, 1) ++ (1 until text.length)).foreach(n =>
          assertEquals(once(text + next, List(n)), whole, clue(s"$n of ${Wire.show(text)}"))
        )
      case _ => ()
    }
    whole
  }

  private val anySize = ContentDecoder.Unlimited

  test("content with a length") {
    List("a", "0123456789", "5\r\nhello\r\n0\r\n\r\n").foreach(text =>
      assertEquals(
        everyWay(text)(_.beginLength(text.length.toLong, anySize)),
        Complete(text, Nil, text.length)
      )
    )
    assertEquals(everyWay("01234")(_.beginLength(9, anySize)), More("01234", 4, 0))
  }

  test("content of no bytes is complete before any byte") {
    val decoder = new ContentDecoder(200, 5)
    decoder.beginLength(0, 0)
    assert(decoder.isComplete && decoder.isOver && decoder.error == null)
    assertEquals(decoder.decode(Wire.bytes(next), 4, 9), 4)
    assertEquals(decoder.dataFrom, decoder.dataUntil)
  }

  test("content in chunks") {
    def whole(text: String) = everyWay(text)(_.beginChunked(anySize))
    assertEquals(whole("0\r\n\r\n"), Complete("", Nil, 5))
    assertEquals(whole("5\r\nhello\r\n0\r\n\r\n"), Complete("hello", Nil, 15))
    assertEquals(
      whole("3;a=b\r\nabc\r\n1\r\nd\r\n0\r\nX: y\r\nZ: z\r\n\r\n"),
      Complete("abcd", List("X" -> "y", "Z" -> "z"), 35)
    )
    assertEquals(whole("5\r\nhel"), More("hel", -1, 2))
    assertEquals(whole("5\r\nhello\r\n0\r\n\r"), More("hello", -1, 0))
    assertEquals(whole("x\r\n"), Failed(400))
    assertEquals(whole("1\r\nab\r\n0\r\n\r\n"), Failed(400))
    assertEquals(whole(s"1\r\na\r\n0\r\nX: ${"y" * 200}\r\n\r\n"), Failed(431))
    assertEquals(whole("0\r\n" + "X: y\r\n" * 6 + "\r\n"), Failed(431))
  }

  test("content until the end of the connection") {
    assertEquals(everyWay("all of it")(_.beginUntilClose(anySize)), More("all of it", -1, 0))
    val decoder = new ContentDecoder(200, 5)
    decoder.beginUntilClose(anySize)
    decoder.decode(Wire.bytes("abc"), 0, 3)
    assert(!decoder.isOver)
    assert(decoder.inputEnded())
    assert(decoder.isComplete)
  }

  test("only content without another end may end with the connection") {
    val decoder = new ContentDecoder(200, 5)
    decoder.beginLength(5, anySize)
    decoder.decode(Wire.bytes("abc"), 0, 3)
    assert(!decoder.inputEnded() && !decoder.isComplete)
    assertEquals(decoder.left, 2L)
    decoder.beginChunked(anySize)
    decoder.decode(Wire.bytes("5\r\nabc"), 0, 6)
    assert(!decoder.inputEnded() && !decoder.isComplete)
    assertEquals(decoder.chunkLeft, 2L)
  }

  test("content within the limit, and one byte more") {
    assertEquals(everyWay("12345")(_.beginLength(5, 5)), Complete("12345", Nil, 5))
    assertEquals(everyWay("12345")(_.beginLength(5, 4)), Failed(413))
    assertEquals(everyWay("12345")(_.beginUntilClose(5)), More("12345", -1, 0))
    assertEquals(everyWay("12345")(_.beginUntilClose(4)), Failed(413))
    val chunks = "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    assertEquals(everyWay(chunks)(_.beginChunked(5)), Complete("abcde", Nil, chunks.length))
    assertEquals(everyWay(chunks)(_.beginChunked(4)), Failed(413))
    assertEquals(everyWay("3\r\nabc\r\n2\r\nde")(_.beginChunked(4)), Failed(413), "before more has come")
    assertEquals(everyWay("5\r\nabcde")(_.beginChunked(4)), Failed(413), "before more has come")
    assertEquals(everyWay("0\r\n\r\n")(_.beginChunked(0)), Complete("", Nil, 5))
  }

  test("a chunk that announces too much fails before its data has come") {
    val decoder = new ContentDecoder(200, 5)
    val size    = Wire.bytes("7fffffffffffffff\r\n")
    decoder.beginChunked(10)
    assertEquals(decoder.decode(size, 0, size.length), size.length)
    assertEquals(decoder.error.status, Status.ContentTooLarge)
    assertEquals(decoder.error.message, "the body is larger than 10 bytes")
    assertEquals(decoder.total, 0L)
  }

  test("without its limit any amount is let through") {
    assertEquals(
      everyWay("5\r\nhello\r\n0\r\n\r\n") { d => d.beginChunked(1); d.removeLimit() },
      Complete("hello", Nil, 15)
    )
    assertEquals(
      everyWay("1\r\na\r\n7fffffffffffffff\r\nb")(_.beginChunked(anySize)),
      More("ab", -1, Long.MaxValue - 1)
    )
    assertEquals(everyWay("12345") { d => d.beginUntilClose(1); d.removeLimit() }, More("12345", -1, 0))
  }

  test("after its end or an error it uses nothing") {
    val decoder = new ContentDecoder(200, 5)
    val bytes   = Wire.bytes("abcdef")
    decoder.beginLength(3, anySize)
    assertEquals(decoder.decode(bytes, 0, 6), 3)
    assertEquals(decoder.decode(bytes, 3, 6), 3)
    assertEquals(decoder.dataFrom, decoder.dataUntil)
    decoder.beginChunked(anySize)
    decoder.decode(Wire.bytes("x"), 0, 1)
    assertEquals(decoder.error.status, Status.BadRequest)
    assertEquals(decoder.decode(bytes, 0, 6), 0)
  }

  test("it begins as a head says") {
    val head    = new ResponseHead
    val decoder = new ContentDecoder(200, 5)
    head.contentLength = 7
    decoder.begin(head, anySize)
    assertEquals(decoder.left, 7L)
    head.contentLength = -1
    decoder.begin(head, anySize)
    assert(!decoder.isChunked)
    decoder.decode("abc".getBytes("ISO-8859-1"), 0, 3)
    assert(decoder.inputEnded()) // the close ends it
    head.chunked = true
    decoder.begin(head, anySize)
    assert(decoder.isChunked)
  }

  test("trailers are taken once: a decoder that waits for its next message keeps none") {
    val decoder = new ContentDecoder(200, 5)
    val bytes   = "1\r\na\r\n0\r\nX-Sum: 7\r\n\r\n".getBytes("ISO-8859-1")
    decoder.beginChunked(anySize)
    var at = 0
    while (!decoder.isOver) at = decoder.decode(bytes, at, bytes.length)
    assertEquals(decoder.takeTrailers().toList, List("X-Sum" -> "7"))
    assertEquals(decoder.trailers.toList, Nil)
    assertEquals(decoder.takeTrailers().toList, Nil)
  }

  test(
    "the end of chunks that are not decoded yet is found as decoding them would, wherever they are split"
  ) {
    val ends = List("", "X: y\r\nZ: \r\n").map(trailers => s"5;a=b\r\nhello\r\n1\r\n!\r\n0\r\n$trailers\r\n")
    val without = List(
      "5\r\nhello\r\n",
      "5\r\nhello\r\n0\r\n\r",
      "5\r\nhello!\r\n0\r\n\r\n",
      "0\r\nX\r\n\r\n",
      s"0\r\nX: ${"y" * 200}\r\n\r\n",
      "0\r\n" + "X: y\r\n" * 6 + "\r\n"
    )
    val large = "5\r\nhello\r\n4\r\nmany\r\n0\r\n\r\n"
    val texts = large :: ends ++ without
    for (text <- texts; decoded <- 0 until text.length; step <- List(1, 2, 5, text.length)) {
      val all     = Wire.bytes(text + next)
      val decoder = new ContentDecoder(200, 5)
      decoder.beginChunked(8)
      var from = 0
      while (from < decoded && !decoder.isOver) from = decoder.decode(all, from, decoded)
      if (!decoder.isOver) {
        val end   = decoder.findsEnd()
        var until = from
        while (until < all.length) {
          until = Math.min(until + step, all.length)
          val moved = new Array[Byte](3) ++ all.slice(from, until) // all that has come, at another place
          end.look(moved, 3, moved.length)
          val found = if (!without.contains(text) && until >= text.length) text.length - from else -1
          assertEquals(
            end.distance,
            found,
            s"${Wire.show(text)}, $decoded decoded, $step at once, $until have come"
          )
        }
        assertEquals(end.isTooLarge, text == large, Wire.show(text))
        while (from < all.length && !decoder.isOver) from = decoder.decode(all, from, all.length)
        assertEquals(decoder.isComplete && decoder.error == null, ends.contains(text), Wire.show(text))
      }
    }
  }
}
