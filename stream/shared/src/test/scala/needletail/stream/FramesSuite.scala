package needletail.stream

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Random

import needletail.testing.{Location, Suite}
import needletail.testkit.ManualLoop

/** Lines and frames, whole, split at every byte, and in pieces of one byte. */
class FramesSuite extends Suite {

  private def run[A](stream: Stream[A]): Either[String, List[A]] =
    new ManualLoop().run(stream.toList(1000000)).toEither.left.map {
      case e: FrameError => e.getMessage
      case e             => throw e
    }

  /** Runs `operator` on `bytes` in every division into two, and in single bytes; results must be the same. */
  private def everyWay[A](bytes: Array[Byte])(operator: Stream[Array[Byte]] => Stream[A])(
      expected: Either[String, List[A]]
  )(implicit at: Location): Unit = {
    val ways = Seq(Seq(bytes), bytes.toSeq.map(Array(_)), Seq(Array[Byte](), bytes, Array[Byte]())) ++
      (0 to bytes.length).map(n => Seq(bytes.take(n), bytes.drop(n)))
    for (way <- ways; pending <- Seq(false, true)) {
      val probe = new Probe(way, pending)
      assertEquals(run(operator(probe)), expected, way.map(_.toList))
      assertEquals(probe.misuse, Nil)
      assertEquals(probe.cancelled, if (expected.isLeft && !probe.ended) 1 else 0)
    }
  }

  private def text(frames: Stream[Array[Byte]]) = frames.map(new String(_, UTF_8))

  test("lines end with \\n or \\r\\n; the last one need not") {
    def lines(text: String)(expected: String*)(implicit at: Location) =
      everyWay(text.getBytes(UTF_8))(_.lines())(Right(expected.toList))
    lines("")()
    lines("a")("a")
    lines("a\nb\n")("a", "b")
    lines("a\r\nb\r\nc")("a", "b", "c")
    lines("\n\n")("", "")
    lines("\r\n\r\n")("", "")
    lines("a\rb\nc\r")("a\rb", "c\r")
    lines("a\r\r\n")("a\r")
    lines("grün\nπ €\n𝄞\n")("grün", "π €", "𝄞")
  }

  test("bytes that are not UTF-8 become U+FFFD") {
    everyWay(Array[Byte]('a', -1, 'b', '\n', 'c'))(_.lines())(Right(List("a\uFFFDb", "c")))
  }

  test("a line may have as many bytes as allowed, and not one more") {
    def lines(text: String)(expected: Either[String, List[String]])(implicit at: Location) =
      everyWay(text.getBytes(UTF_8))(_.lines(longest = 4).filter(_.length != 1))(expected)
    val tooLong = Left("a line is longer than 4 bytes")
    lines("abcd\nabcd\r\nabcd")(Right(List("abcd", "abcd", "abcd")))
    lines("abcde\n")(tooLong)
    lines("abcde\r\n")(tooLong)
    lines("abcde")(tooLong)
    lines("abcd\r")(tooLong)
    lines("x\nabcdefghijkl")(tooLong)
    lines("ππ\n")(Right(List("ππ")))
    lines("ππx\n")(tooLong)
  }

  test("a line without an end is refused before it is held") {
    var read    = 0
    val endless = Stream.fromIterator(Iterator.continually { read += 1; new Array[Byte](1000) })
    assertEquals(run(endless.lines(longest = 2500)), Left("a line is longer than 2500 bytes"))
    assertEquals(read, 3)
  }

  test("frames by length") {
    def frames(prefix: Int, bytes: Int*)(expected: Either[String, List[List[Int]]])(implicit at: Location) =
      everyWay(bytes.map(_.toByte).toArray)(_.prefixedFrames(
        prefix,
        longest = 300
      ).map(_.toList.map(_.toInt)))(expected)
    frames(1, 2, 7, 8, 0, 1, 9)(Right(List(List(7, 8), Nil, List(9))))
    frames(2, 0, 2, 7, 8, 0, 0, 0, 1, 9)(Right(List(List(7, 8), Nil, List(9))))
    frames(4, 0, 0, 0, 1, 9)(Right(List(List(9))))
    frames(1)(Right(Nil))
    frames(3, 0, 0)(Left("the stream ends within the length of a frame"))
    frames(1, 3, 1, 2)(Left("the stream ends within a frame: 2 of 3 bytes have come"))
    frames(2, 1, 45)(Left("a frame is longer than 300 bytes"))
    frames(4, 255, 255, 255, 255)(Left("a frame is longer than 300 bytes"))
    frames(2, 0, 200)(Left("the stream ends within a frame: 0 of 200 bytes have come"))
    everyWay(Array[Byte](1, 44) ++ new Array[Byte](300))(_.prefixedFrames(
      2,
      longest = 300
    ).map(_.length))(Right(List(300)))
  }

  test("frames by delimiter") {
    def frames(delimiter: String, content: String)(expected: Either[String, List[String]])(implicit
        at: Location
    ) =
      everyWay(
        content.getBytes(UTF_8)
      )(s => text(s.delimitedFrames(delimiter.getBytes(UTF_8), longest = 6)))(expected)
    frames("\u0000", "a\u0000\u0000bc\u0000")(Right(List("a", "", "bc")))
    frames("--", "a--b---c")(Right(List("a", "b", "-c")))
    frames("aab", "aaab")(Right(List("a")))
    frames("abac", "ababac")(Right(List("ab")))
    frames("--", "abcdef--abcdef-")(Left("a frame is longer than 6 bytes"))
    frames("--", "abcdef--abcdef--")(Right(List("abcdef", "abcdef")))
    frames("--", "abcdefg--")(Left("a frame is longer than 6 bytes"))
    frames("--", "abcdefg")(Left("a frame is longer than 6 bytes"))
    frames("--", "ab-")(Right(List("ab-")))
    frames("--", "")(Right(Nil))
  }

  test("lines of random texts in random pieces are those of a simple reader") {
    val seed   = System.nanoTime()
    val random = new Random(seed)
    for (_ <- 1 to 300) {
      val content  = Array.fill(random.nextInt(200))("ab\r\n\n€".charAt(random.nextInt(6))).mkString
      val ended    = if (content.endsWith("\n")) content else content + "\n"
      val simple   = if (content.isEmpty) Nil else ended.dropRight(1).split("\n", -1).toList
      val last     = !content.endsWith("\n")
      val expected = simple.zipWithIndex.map { case (line, index) =>
        if (line.endsWith("\r") && !(last && index == simple.size - 1)) line.dropRight(1) else line
      }
      var rest   = content.getBytes(UTF_8)
      val pieces = Seq.newBuilder[Array[Byte]]
      while (rest.nonEmpty) {
        val n = 1 + random.nextInt(20)
        pieces += rest.take(n)
        rest = rest.drop(n)
      }
      assertEquals(run(Stream.from(pieces.result()).lines()), Right(expected), s"seed $seed: $content")
    }
  }

  test("text as bytes") {
    assertEquals(run(Stream("a\n€", "\nb").utf8.lines()), Right(List("a", "€", "b")))
  }
}
