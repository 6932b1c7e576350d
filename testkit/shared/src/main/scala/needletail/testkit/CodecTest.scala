package needletail.testkit

import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.collection.immutable.ArraySeq

import needletail.tcp.{Codec, Decoded, Decoder}

/**
 * Checks a codec without sockets, as hard as a network does: the bytes come whole, in two parts for every place where
 * they can be split, and one by one; behind other bytes in a larger array, followed by bytes that must not be used;
 * twice in a row; with two connections at a time. Each array is overwritten as soon as the decoder has returned. More
 * than 1,024 bytes are split at many places, near both ends at each, and more than 4,096 do not come one by one.
 *
 * {{{
 *   CodecTest(new LineCodec(80)).decodes("a\r\nb\n", "a", "b")
 *   CodecTest(new LineCodec(3)).rejects("abcd")
 *   CodecTest(new LineCodec(80)).isIncomplete("a\nb", "a")
 * }}}
 *
 * A failed check throws an AssertionError that shows the bytes and how they were split. Messages are compared by `==`; arrays by
 * their content, and case classes and other products by their name and members, also within collections.
 */
final class CodecTest[I, O](codec: Codec[I, O]) {
  import CodecTest._

  /**
   * These bytes are exactly these messages.
   *
   * @param twice whether the same bytes may follow on themselves, which is checked too; false for protocols in which a
   *   message, such as a greeting, comes once
   */
  def decodes(bytes: Array[Byte], messages: Seq[I], twice: Boolean = true): Unit = {
    val expected = messages.map(comparable)
    for (way <- ways(bytes)) new Run(codec.decoder(), bytes, way).expect(expected).expectEnd()
    if (twice) new Run(codec.decoder(), bytes ++ bytes, Whole).expect(expected ++ expected).expectEnd()
    for (garbage <- Garbage) new Run(codec.decoder(), bytes ++ garbage, Whole).expectFirst(expected)
    interleaved(bytes, expected)
  }

  /** The same for text, each char of which is a byte (ISO 8859-1). */
  def decodes(text: String, messages: I*): Unit = decodes(text.getBytes(ISO_8859_1), messages)

  /**
   * These bytes are these messages and then malformed, however they are split and whatever follows. Returns the
   * decoder's reason.
   */
  def rejects(bytes: Array[Byte], before: Seq[I]): String = {
    val expected = before.map(comparable)
    val reasons  =
      (ways(bytes).map((_, bytes)) ++ Garbage.map(g => (Whole, bytes ++ g))).map { case (way, all) =>
        val run = new Run(codec.decoder(), all, way).expect(expected)
        run.rejection.getOrElse(run.fail("Bad", run.outcome))
      }
    reasons.head
  }

  /** The same for text, each char of which is a byte. */
  def rejects(text: String, before: I*): String = rejects(text.getBytes(ISO_8859_1), before)

  /** These bytes are these messages and the beginning of another one; so is every part of them from the beginning. */
  def isIncomplete(bytes: Array[Byte], before: Seq[I]): Unit = {
    val expected = before.map(comparable)
    for (way <- ways(bytes)) {
      val run = new Run(codec.decoder(), bytes, way).expect(expected)
      run.rejection.foreach(reason => run.fail("More", s"Bad($reason)"))
      if (run.left == 0) run.fail("bytes left over", "none")
    }
  }

  /** The same for text, each char of which is a byte. */
  def isIncomplete(text: String, before: I*): Unit = isIncomplete(text.getBytes(ISO_8859_1), before)

  /** Encoding gives these bytes, and each time an array of its own, as it belongs to the caller. */
  def encodes(message: O, bytes: Array[Byte]): Unit = {
    val first = codec.encode(message)
    if (!java.util.Arrays.equals(first, bytes))
      throw new AssertionError(s"$message is encoded as ${shown(first)}, not as ${shown(bytes)}")
    java.util.Arrays.fill(first, Overwritten)
    val second = codec.encode(message)
    if (!java.util.Arrays.equals(second, bytes))
      throw new AssertionError(
        s"$message is encoded as ${shown(second)} after the array of its first encoding was overwritten"
      )
  }

  /** The same for text, each char of which is a byte. */
  def encodes(message: O, text: String): Unit = encodes(message, text.getBytes(ISO_8859_1))

  /** What this codec encodes, `other`, the codec of the other side, decodes as the same messages. */
  def roundTrips(other: Codec[O, _])(messages: O*): Unit = {
    val bytes = messages.map { message =>
      val encoded = codec.encode(message)
      encodes(message, encoded.clone())
      encoded
    }
    new CodecTest(other).decodes(bytes.foldLeft(Array.empty[Byte])(_ ++ _), messages)
  }

  /** Decoders of two connections are independent. */
  private def interleaved(bytes: Array[Byte], expected: Seq[Any]): Unit = for (at <- splits(bytes).take(64)) {
    val one     = new Run(codec.decoder(), bytes, Split(at))
    val another = new Run(codec.decoder(), bytes, Whole)
    one.part(at)
    another.expect(expected).expectEnd()
    one.expect(expected).expectEnd()
  }
}

object CodecTest {

  /** The tests of that codec; each check throws an AssertionError that shows the bytes if it fails. */
  def apply[I, O](codec: Codec[I, O]): CodecTest[I, O] = new CodecTest(codec)

  private final val Overwritten = 0x55.toByte

  /** Up to this length, bytes are split everywhere; beyond, at this many places, as long as that is no more work. */
  private final val Everywhere = 1024
  private final val MostWork   = 4 * 1024 * 1024

  private val Garbage =
    Seq("\u0000\u0000\u0000\u0000", "\u00ff\u00fe", "x", "\r\n", "}{!$").map(_.getBytes(ISO_8859_1))

  /** How bytes come: in the parts that end before these indexes. */
  private sealed abstract class Way(val text: String) {
    def ends(length: Int): Iterator[Int]
  }
  private case object Whole extends Way("whole") {
    def ends(length: Int): Iterator[Int] = Iterator(length)
  }
  private final case class Split(at: Int) extends Way(s"split before byte $at") {
    def ends(length: Int): Iterator[Int] = Iterator(at, length)
  }
  private case object Single extends Way("byte by byte") {
    def ends(length: Int): Iterator[Int] = Iterator.range(1, length + 1)
  }

  private def splits(bytes: Array[Byte]): Seq[Int] = {
    val n     = bytes.length
    val count = Math.max(64, Math.min(Everywhere, MostWork / Math.max(1, n)))
    if (n <= count) 1 until n
    else {
      val near = count / 4 // the ends are where most is to be found
      (1 to near) ++ (near + 1 until n - near by Math.max(1, 2 * n / count)) ++ (n - near until n)
    }
  }

  private def ways(bytes: Array[Byte]): Seq[Way] =
    Whole +: (splits(bytes).map(Split(_)) ++ (if (bytes.length <= 4 * Everywhere) Seq(Single) else Nil))

  /** One connection: a decoder is given the bytes in a certain way. */
  private final class Run[I](decoder: Decoder[I], bytes: Array[Byte], way: Way) {
    private var from     = 0 // before it, everything has been decoded
    private var looked   = 0 // bytes that the decoder has seen and called incomplete
    private var messages = Vector.empty[I]

    /** The reason of `Bad`, once that was returned. */
    var rejection: Option[String] = None

    def left: Int    = bytes.length - from
    def outcome: Any = rejection.map(reason => s"Bad($reason)").getOrElse("More")

    /** Passes on the bytes before `until`. */
    def part(until: Int): Unit = {
      var go = from < until
      while (go && rejection.isEmpty) decode(until) match {
        case Decoded.Message(message, end) =>
          messages :+= message
          from = end
          looked = 0
          go = from < until
        case Decoded.More =>
          looked = until - from
          go = false
        case Decoded.Bad(reason) =>
          rejection = Some(reason)
          decode(until) match {
            case Decoded.Bad(_) => ()
            case other          => fail("Bad again for the same bytes", other)
          }
      }
    }

    /** The bytes lie somewhere in a larger array, which is overwritten afterwards. */
    private def decode(until: Int): Decoded[I] = {
      val before = 1 + from % 7
      val array  = new Array[Byte](before + until - from + Behind.length)
      java.util.Arrays.fill(array, Overwritten)
      System.arraycopy(bytes, from, array, before, until - from)
      System.arraycopy(Behind, 0, array, array.length - Behind.length, Behind.length)
      val passed = array.clone()
      val result =
        try decoder.decode(array, before, before + until - from)
        catch {
          case e: Exception    => fail("no exception", e)
          case e: LinkageError => fail("no exception", e)
        }
      if (!java.util.Arrays.equals(array, passed)) fail("an unchanged array", "a changed one")
      java.util.Arrays.fill(array, Overwritten)
      result match {
        case null                          => fail("a result", "null")
        case Decoded.Message(message, end) =>
          val at = from + end - before
          if (at <= from + looked || at > until)
            fail(
              s"the end of a message after byte ${from + looked} and at most at $until",
              s"$at, of $message"
            )
          Decoded.Message(message, at)
        case other => other
      }
    }

    /** Passes on the rest of the bytes: exactly these messages are decoded. */
    def expect(expected: Seq[Any]): Run[I] = {
      val found = expectFirst(expected)
      if (found.length > expected.length) fail("no further message", found(expected.length))
      this
    }

    /** Passes on the rest of the bytes: these messages are decoded first. Returns all messages. */
    def expectFirst(expected: Seq[Any]): Seq[Any] = {
      way.ends(bytes.length).filter(_ > from + looked).foreach(part)
      val found = messages.map(comparable)
      val count = found.zip(expected).takeWhile { case (a, b) => a == b }.length
      if (count < expected.length)
        fail(s"message $count: ${expected(count)}", if (count < found.length) found(count) else outcome)
      found
    }

    /** Nothing is left. */
    def expectEnd(): Unit =
      if (rejection.isDefined || left > 0) fail("all bytes used", s"$outcome, with $left bytes left over")

    def fail(expected: String, found: Any): Nothing =
      throw new AssertionError(
        s"expected ${short(expected)}\n   found ${short(found)}\n   bytes ${shown(bytes)}, ${way.text}" + (way match {
          case Split(at) => s": ${shown(bytes.take(at))} | ${shown(bytes.drop(at))}"
          case _         => ""
        })
      )
  }

  private def short(value: Any): String = {
    val text = String.valueOf(value)
    if (text.length <= 300) text
    else s"${text.take(200)} ... ${text.takeRight(60)} (${text.length} characters)"
  }

  /** Bytes that follow those passed on: a decoder that reads them finds the end of something. */
  private val Behind = "\r\n\u0000\n\r\n".getBytes(ISO_8859_1)

  /** The same value with sequences for arrays, so that `==` compares them by their content. */
  private def comparable(value: Any): Any = value match {
    case bytes: Array[Byte] => ArraySeq.unsafeWrapArray(bytes)
    case array: Array[_]    => array.toVector.map(comparable)
    case seq: Seq[_]        => seq.map(comparable)
    case map: Map[_, _]     => map.map { case (k, v) => comparable(k) -> comparable(v) }
    case product: Product   =>
      if (product.productArity == 0) product
      else (product.productPrefix, product.productIterator.map(comparable).toVector)
    case other => other
  }

  /** Bytes as text, the others as `\xNN`; a long text without its middle. */
  private def shown(bytes: Array[Byte]): String = {
    def text(part: Array[Byte]) = part.map { b =>
      if (b == '\r') "\\r"
      else if (b == '\n') "\\n"
      else if (b >= 32 && b < 127) b.toChar.toString
      else f"\\x${b & 0xff}%02x"
    }.mkString
    if (bytes.length <= 120) s"'${text(bytes)}'"
    else s"'${text(bytes.take(60))}' ... '${text(bytes.takeRight(40))}' (${bytes.length} bytes)"
  }
}
