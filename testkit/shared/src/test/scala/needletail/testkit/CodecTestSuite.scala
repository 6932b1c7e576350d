package needletail.testkit

import java.nio.charset.StandardCharsets.ISO_8859_1

import needletail.tcp.{Codec, Decoded, Decoder}
import needletail.testing.{Location, Suite}

/** What is wrong with a codec is found, and said. */
class CodecTestSuite extends Suite {

  /** Lines that end in LF, at most ten bytes. */
  private class Lines(decode: (Array[Byte], Int, Int) => Decoded[Any]) extends Codec[Any, String] {
    def decoder(): Decoder[Any]           = decode(_, _, _)
    def encode(line: String): Array[Byte] = (line + "\n").getBytes(ISO_8859_1)
  }

  private def line(bytes: Array[Byte], from: Int, until: Int): Decoded[Any] = {
    val end = bytes.indexOf('\n'.toByte, from)
    if (end < 0 || end >= until)
      if (until - from > 10) Decoded.Bad("too long") else Decoded.More
    else if (end - from > 10) Decoded.Bad("too long")
    else Decoded.Message(new String(bytes, from, end - from, ISO_8859_1), end + 1)
  }

  private val right = CodecTest(new Lines(line))

  private def finds(what: String*)(check: => Any)(implicit at: Location): Unit = {
    val e = intercept[AssertionError](check)
    what.foreach(w => assert(e.getMessage.contains(w), e.getMessage))
  }

  private def wrong(decode: (Array[Byte], Int, Int) => Decoded[Any]) = CodecTest(new Lines(decode))

  test("a codec that is right") {
    right.decodes("a\nb\n\n", "a", "b", "")
    right.decodes("")
    assertEquals(right.rejects("a\n12345678901", "a"), "too long")
    right.isIncomplete("a\nb", "a")
    right.encodes("a", "a\n")
  }

  test("expectations that are wrong are shown as such") {
    finds("expected message 1: c", "found b", "'a\\nb\\n'", "whole")(right.decodes("a\nb\n", "a", "c"))
    finds("expected message 1: b", "found More")(right.decodes("a\nb", "a", "b"))
    finds("no further message", "found b")(right.decodes("a\nb\n", "a"))
    finds("all bytes used", "1 bytes left over")(right.decodes("a\nb", "a"))
    finds("expected Bad", "found More")(right.rejects("a"))
    finds("no further message", "found a")(right.isIncomplete("a\n"))
    finds("expected More", "Bad(too long)")(right.isIncomplete("12345678901"))
    finds("is encoded as 'a\\n', not as 'b'")(right.encodes("a", "b"))
  }

  test("a decoder that takes part of a message for all of it") {
    finds("split before byte 1", "'a' | 'b\\n'")(
      wrong((b, from, until) =>
        line(b, from, until) match {
          case Decoded.More => Decoded.Message("oops", until)
          case other        => other
        }
      ).decodes("ab\n", "ab")
    )
  }

  test("a decoder that looks beyond the end of what has come") {
    finds("split before byte")(
      wrong { (b, from, _) =>
        val end = b.indexOf('\n'.toByte, from)
        Decoded.Message(new String(b, from, end - from, ISO_8859_1), end + 1)
      }.decodes("ab\n", "ab")
    )
  }

  test("a decoder that looks before the beginning, or counts from the array's") {
    finds("message 0")(wrong((b, _, until) => line(b, 0, until)).decodes("ab\n", "ab"))
  }

  test("a decoder that keeps the array, or writes into it") {
    final class Lazily(bytes: Array[Byte], from: Int, until: Int) {
      override def equals(other: Any): Boolean = other == text
      override def hashCode: Int               = text.hashCode
      override def toString: String            = text
      private def text                         = new String(bytes, from, until - from, ISO_8859_1)
    }
    finds("message 0: ab", "found UU")(
      wrong((b, from, until) =>
        line(b, from, until) match {
          case Decoded.Message(_, end) => Decoded.Message(new Lazily(b, from, end - 1), end)
          case other                   => other
        }
      ).decodes("ab\n", "ab")
    )
    finds("an unchanged array")(
      wrong { (b, from, until) =>
        val decoded = line(b, from, until)
        b(from) = 'x'
        decoded
      }.decodes("ab\n", "ab")
    )
  }

  test("a decoder that throws, returns null, or an end that cannot be") {
    finds("no exception", "IndexOutOfBounds")(
      wrong((b, from, until) =>
        if (until - from < 2) Decoded.Message(b(until + 100), until) else line(b, from, until)
      )
        .decodes("ab\n", "ab")
    )
    finds(
      "no exception",
      "LinkageError"
    )(wrong((_, _, _) => throw new LinkageError("x")).decodes("ab\n", "ab"))
    finds("a result", "null")(wrong((_, _, _) => null).decodes("ab\n", "ab"))
    finds("the end of a message after byte 0")(wrong((_, from, _) => Decoded.Message("ab", from)).decodes(
      "ab\n",
      "ab"
    ))
    finds("at most at 3")(wrong((_, _, until) => Decoded.Message("ab", until + 1)).decodes("ab\n", "ab"))
  }

  test("what is bad, and good once more of it has come") {
    finds("no further message", "found good")(
      wrong((_, from, until) =>
        if (until - from > 3) Decoded.Message("good", until) else Decoded.Bad("short")
      )
        .rejects("abc")
    )
    var calls = 0
    finds("Bad again")(
      wrong { (_, _, _) =>
        calls += 1
        if (calls % 2 == 1) Decoded.Bad("x") else Decoded.More
      }.rejects("abc")
    )
  }

  test("a decoder that does not forget, or that shares what it remembers") {
    class Remembering(make: Boolean) extends Codec[String, String] {
      final class State extends Decoder[String] {
        private var looked                                                     = 0
        def decode(bytes: Array[Byte], from: Int, until: Int): Decoded[String] = {
          val end = bytes.indexOf('\n'.toByte, from + looked)
          if (end < 0 || end >= until) {
            looked = until - from
            Decoded.More
          } else {
            if (!make) looked = 0
            Decoded.Message(new String(bytes, from, end - from, ISO_8859_1), end + 1)
          }
        }
      }
      private val one                       = new State
      def decoder(): Decoder[String]        = if (make) new State else one
      def encode(line: String): Array[Byte] = (line + "\n").getBytes(ISO_8859_1)
    }
    finds("message 1: c")(CodecTest(new Remembering(make = true)).decodes("ab\nc\n", "ab", "c"))
    finds("message 0")(CodecTest(new Remembering(make = false)).decodes("ab\nc\n", "ab", "c"))
  }

  test("an encoder that gives the same array twice") {
    val array = "a\n".getBytes(ISO_8859_1)
    val codec = new Codec[Any, String] {
      def decoder(): Decoder[Any]           = line(_, _, _)
      def encode(line: String): Array[Byte] = array
    }
    finds("after the array of its first encoding was overwritten")(CodecTest(codec).encodes("a", "a\n"))
  }

  test("arrays in messages are compared by their content") {
    final case class Blob(name: String, bytes: Array[Byte])
    val codec = new Codec[Any, String] {
      def decoder(): Decoder[Any] = (b, from, until) =>
        line(b, from, until) match {
          case Decoded.Message(m: String, end) =>
            Decoded.Message(List(Blob("x", m.getBytes(ISO_8859_1))), end)
          case other => other
        }
      def encode(line: String): Array[Byte] = (line + "\n").getBytes(ISO_8859_1)
    }
    CodecTest(codec).decodes("ab\n", List(Blob("x", Array('a', 'b'))))
    finds("message 0")(CodecTest(codec).decodes("ab\n", List(Blob("x", Array('a', 'c')))))
  }

  test("long input is split at its ends and in between") {
    val codec = CodecTest(new Lines((b, from, until) => {
      val end = b.indexOf('\n'.toByte, from)
      if (end < 0 || end >= until) Decoded.More else Decoded.Message(end - from, end + 1)
    }))
    codec.decodes("x" * 100000 + "\n", 100000)
  }
}
