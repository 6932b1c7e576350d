package needletail.http

import needletail.http.http1.ChunkedDecoder

class ChunkedSuite extends needletail.testing.Suite {
  private val next = "GET / HTTP/1.1\r\n"

  /** What came of a body: its data, its trailers and how many bytes it took; or the status it was refused with. */
  private sealed abstract class Result
  private case class Body(data: String, trailers: List[(String, String)], used: Int) extends Result
  private case class Refused(status: Int)                                            extends Result
  private case object More                                                           extends Result

  /** Feeds the bytes in pieces of these sizes, the last size again and again, always at another place. */
  private def decode(text: String, sizes: List[Int]): Result = {
    val all     = Wire.bytes(text)
    val decoder = new ChunkedDecoder(200, 5)
    val data    = new StringBuilder
    var left    = sizes
    var used    = 0
    while (used < all.length && decoder.state != ChunkedDecoder.Done && decoder.state != ChunkedDecoder.Bad) {
      val n = Math.min(left.head, all.length - used)
      if (left.tail.nonEmpty) left = left.tail
      val room = new Array[Byte](n + 5)
      System.arraycopy(all, used, room, 2, n)
      var p    = 2
      var over = n == 0
      while (!over) {
        val q = decoder.decode(room, p, 2 + n)
        if (decoder.state == ChunkedDecoder.Data) {
          assert(decoder.dataUntil > decoder.dataFrom && q == decoder.dataUntil)
          data ++= new String(room, decoder.dataFrom, decoder.dataUntil - decoder.dataFrom, "ISO-8859-1")
        } else assertEquals(decoder.dataFrom, decoder.dataUntil)
        over = decoder.state == ChunkedDecoder.Done || decoder.state == ChunkedDecoder.Bad || q == 2 + n
        p = q
      }
      used += p - 2
    }
    if (decoder.state == ChunkedDecoder.Bad) Refused(decoder.error.status.code)
    else if (decoder.state == ChunkedDecoder.Done) Body(data.toString, decoder.trailers.toList, used)
    else More
  }

  /** The same result whole, split at every byte, byte by byte, and with the next request behind it. */
  private def everyWay(text: String): Result = {
    val whole = decode(text, List(text.length))
    (1 until Math.min(text.length, 400)).foreach(i =>
      assertEquals(decode(text, List(i, text.length)), whole, clue(s"$i of ${Wire.show(text)}"))
    )
    assertEquals(decode(text, List(1)), whole, clue(Wire.show(text)))
    assertEquals(decode(text, List(3)), whole, clue(Wire.show(text)))
    if (whole != More)
      assertEquals(decode(text + next, List(text.length + next.length)), whole, clue(Wire.show(text)))
    whole
  }
  private def body(text: String): Body = everyWay(text) match {
    case b: Body => b
    case other   => fail(s"$other for ${Wire.show(text)}")
  }
  private def data(text: String): String = {
    val b = body(text)
    assertEquals(b.used, text.length)
    b.data
  }
  private def refused(text: String, status: Int = 400): Unit =
    assertEquals(everyWay(text), Refused(status): Result, clue(Wire.show(text)))

  test("chunks, and where they end") {
    assertEquals(data("0\r\n\r\n"), "")
    assertEquals(data("3\r\nabc\r\n0\r\n\r\n"), "abc")
    assertEquals(data("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"), "abcde")
    assertEquals(data("a\r\n0123456789\r\n0\r\n\r\n"), "0123456789")
    assertEquals(data("A\r\n\r\n\r\n\r\n\r\n\r\n\r\n0\r\n\r\n"), "\r\n" * 5)
    assertEquals(data("0000000000000003\r\nabc\r\n000\r\n\r\n"), "abc")
    assertEquals(data("5\r\n0\r\n\r\n\r\n0\r\n\r\n"), "0\r\n\r\n")
  }

  test("more is wanted until the last byte") {
    val text = "3;a=b\r\nabc\r\n0\r\nX: y\r\n\r\n"
    (0 until text.length).foreach(n => assertEquals(everyWay(text.take(n)), More: Result))
  }

  test("sizes that are refused") {
    List(
      "",
      " ",
      "g",
      "-1",
      "+1",
      "0x1",
      "1.",
      "1 1",
      " 1",
      "\t1",
      "1,",
      "\u0000",
      "00000000000000001",
      "ffffffffffffffff",
      "8000000000000000",
      "10000000000000000",
      "1\r",
      "1\u000b"
    ).foreach(size => refused(s"$size\r\na\r\n0\r\n\r\n"))
    refused("1\na\r\n0\r\n\r\n")
    refused("1\ra\r\n0\r\n\r\n")
    for (byte <- List("X", "\r", " ")) refused(s"1\r${byte}a\r\n0\r\n\r\n")
    assertEquals(everyWay("7fffffffffffffff\r\nabc"), More: Result)
  }

  test("data must end in CRLF just where its size says") {
    refused("3\r\nabcd\r\n0\r\n\r\n")
    refused("3\r\nabc0\r\n\r\n")
    refused("3\r\nabc\n0\r\n\r\n")
    refused("3\r\nabc\r0\r\n\r\n")
    for (byte <- List("X", "\r", " ")) refused(s"3\r\nabc\r${byte}0\r\n\r\n")
    refused("3\r\nab\r\n0\r\n\r\n")
    refused("3\r\nabc\r\n\r\n0\r\n\r\n")
    refused("0\n\r\n")
    refused("0\r\n\n")
    refused("0\r\n\r\r\n")
  }

  test("extensions are checked and passed over") {
    List(
      ";a",
      ";a=b",
      " ; a = b",
      "\t;\ta\t=\tb",
      ";a;b;c",
      ";a=b;c=d",
      ";a=\"b\"",
      ";a=\"\"",
      ";a=\"b;c\\\"d\\\\\"",
      ";a=\"\u00e9\t \"",
      ";a=b ;c",
      ";a=\"b\" ;c",
      ";a ;b",
      ";a =b",
      ";!#$%&'*+-.^_`|~=1"
    ).foreach(e => assertEquals(data(s"3$e\r\nabc\r\n0$e\r\n\r\n"), "abc", clue(e)))
    List(
      ";",
      "; ",
      " ",
      "\t",
      ";;",
      ";=b",
      ";a=",
      ";a= ",
      ";a=b=c",
      ";a b",
      ";a=b c",
      ";a=\"b",
      ";a=\"b\"c",
      ";a=b\"c\"",
      ";\"a\"",
      ";a=b ",
      ";a ",
      ";a=\"b\" ",
      ";a=\"\\",
      ";a=\"\u0000\"",
      ";a=\"\r\n\"",
      ";a\u0000",
      ";a\n",
      ";a=\"\n\"",
      ";a\r;b",
      ";a=\u00e9",
      ",a",
      "a b",
      ";a@b"
    ).foreach(e => refused(s"3$e\r\nabc\r\n0\r\n\r\n"))
  }

  test("extensions may not outweigh the data by more than their allowance") {
    assertEquals(data(s"3;${"a" * 4000}\r\nabc\r\n0\r\n\r\n"), "abc")
    refused(s"3;${"a" * 5000}\r\nabc\r\n0\r\n\r\n")
    // "=" and the CR of the line count, too
    assertEquals(data(s"3;${"a" * 4095}\r\nabc\r\n0\r\n\r\n"), "abc")
    refused(s"3;${"a" * 4096}\r\nabc\r\n0\r\n\r\n")
    assertEquals(data(s"3\r\nabc\r\n1;${"a" * 4098}\r\nd\r\n0\r\n\r\n"), "abcd")
    refused(s"3\r\nabc\r\n1;${"a" * 4099}\r\nd\r\n0\r\n\r\n")
    refused(("1;" + "a" * 50 + "\r\nx\r\n") * 200 + "0\r\n\r\n")
    assertEquals(data(("100;" + "a" * 50 + "\r\n" + "x" * 256 + "\r\n") * 100 + "0\r\n\r\n").length, 25600)
  }

  test("trailers are handed over, but for those that decide about the message") {
    assertEquals(body("0\r\nX: y\r\n\r\n").trailers, List("X" -> "y"))
    assertEquals(body("1\r\na\r\n0\r\nA: 1\r\nb:\t2 \r\n\r\n").trailers, List("A" -> "1", "b" -> "2"))
    val framing = "Content-Length: 5\r\ntransfer-encoding: chunked\r\nHOST: b\r\nAuthorization: c\r\nX: y\r\n"
    assertEquals(body(s"0\r\n$framing\r\n").trailers, List("X" -> "y"))
  }

  test("trailers are read as strictly as headers, and are bounded") {
    List("X : y", " X: y", "X", ": y", "X: y\r\n z", "X: \u0000", "X: a\rb", "X: y\n").foreach(t =>
      refused(s"0\r\n$t\r\n\r\n")
    )
    refused("0\r\n" + "X: y\r\n" * 6 + "\r\n", 431)
    refused(s"0\r\nX: ${"y" * 200}\r\n\r\n", 431)
    assertEquals(body("0\r\n" + "X: y\r\n" * 5 + "\r\n").trailers.length, 5)
    assertEquals(body(s"0\r\nX: ${"y" * 193}\r\n\r\n").used, 3 + 3 + 193 + 4)
    refused(s"0\r\nX: ${"y" * 194}\r\n\r\n", 431)
  }

  test("a decoder can be used for one body after another") {
    val decoder = new ChunkedDecoder(200, 5)
    List(
      "0\r\nX: y\r\n\r\n" -> List("X" -> "y"),
      "0\r\n\r\n"         -> Nil,
      "0\r\nZ: z\r\n\r\n" -> List("Z" -> "z")
    ).foreach { case (text, trailers) =>
      val rawBytes = Wire.bytes(text)
      decoder.reset()
      assertEquals(decoder.decode(rawBytes, 0, rawBytes.length), rawBytes.length)
      assertEquals(decoder.state, ChunkedDecoder.Done)
      assertEquals(decoder.trailers.toList, trailers)
    }
  }

  test("the allowance for extensions is each body's own") {
    val decoder = new ChunkedDecoder(200, 5)
    val text    = Wire.bytes(s"0;${"a" * 4000}\r\n\r\n")
    for (_ <- 1 to 3) {
      decoder.reset()
      assertEquals((decoder.decode(text, 0, text.length), decoder.state), (text.length, ChunkedDecoder.Done))
    }
  }
}
