package needletail.websocket.deflate

import java.util.zip.Deflater

import needletail.testing.Suite
import needletail.websocket.frame.Frames.{found, frame}
import needletail.websocket.frame.{CountedMemory, FrameReader}

/** What peers may send as compressed messages (RFC 7692 §7.2.2 and §7.2.3), and what they must not. */
class DeflateCodecSuite extends Suite {
  private val words = "the quick brown fox jumps over the lazy dog, again and again. " * 3

  private def reader(takeover: Boolean) =
    new FrameReader(
      true,
      1 << 20,
      Long.MaxValue,
      new CountedMemory,
      new DeflateCodec(6, 0, false, takeover, 15)
    )

  private def read(takeover: Boolean, messages: Array[Byte]*): Vector[String] = {
    val data = messages.map(frame(0xc1, _))
    found(reader(takeover), data.flatten.toArray, data.map(_.length).scanLeft(0)(_ + _).tail)
  }

  private def compressed(deflater: Deflater, text: String, flush: Int): Array[Byte] = {
    val out = new Array[Byte](10000)
    deflater.setInput(text.getBytes("UTF-8"))
    if (flush == Deflater.NO_FLUSH) deflater.finish()
    val n = deflater.deflate(out, 0, out.length, flush)
    java.util.Arrays.copyOf(out, if (flush == Deflater.NO_FLUSH) n else n - 4)
  }

  private def flushed(deflater: Deflater, text: String) = compressed(deflater, text, Deflater.SYNC_FLUSH)

  /** In a stream of its own that ends. */
  private def finished(text: String) = compressed(new Deflater(6, true), text, Deflater.NO_FLUSH)

  test("a message that ends with a final block is followed by others, with the window of all before") {
    val peer  = new Deflater(6, true)
    val first = flushed(peer, words)
    for (zero <- Seq(Array[Byte](0), Array.empty[Byte])) {
      // refers to the first message: its window has not been lost with the final block between them
      val again = new Deflater(6, true)
      again.setDictionary((words + "end").getBytes("UTF-8"))
      val third = flushed(again, words)
      assert(third.length < first.length / 2, "the test's message refers to another")
      assertEquals(
        read(takeover = true, first, finished("end") ++ zero, third),
        Vector(s"text $words", "text end", s"text $words")
      )
      assertEquals(
        read(takeover = false, first, finished("end") ++ zero, first),
        Vector(s"text $words", "text end", s"text $words")
      )
    }
    assertEquals(read(takeover = true, finished("a") ++ finished("b")), Vector("text ab"))
  }

  test("messages refer to earlier ones across many windows") {
    val peer  = new Deflater(6, true)
    val texts = (1 to 60).map(n => s"$n " + (words + n) * (n * 3 % 40))
    assertEquals(
      read(takeover = true, texts.map(flushed(peer, _)): _*),
      texts.map("text " + _).toVector
    )
  }

  test("a truncated message is refused with 1007, wherever it is cut") {
    for (takeover <- Seq(true, false); whole <- Seq(finished(words), flushed(new Deflater(6, true), words)))
      for (length <- 1 until whole.length)
        assertEquals(
          read(takeover, java.util.Arrays.copyOf(whole, length), whole),
          Vector("failed 1007"),
          s"$length of ${whole.length}"
        )
  }

  test("an empty message is one with an empty block, or with nothing") {
    for (takeover <- Seq(true, false))
      assertEquals(
        read(takeover, Array[Byte](0), Array.empty, flushed(new Deflater(6, true), "a"), Array.empty),
        Vector("text ", "text ", "text a", "text ")
      )
  }

  test("a message of many final blocks is refused") {
    assertEquals(read(takeover = true, Array.fill(1000)(Array[Byte](3, 0)).flatten), Vector("failed 1007"))
  }
}
