package needletail.websocket.deflate

import needletail.http.zlib.RawDeflater
import needletail.testing.Suite
import needletail.websocket.frame.Frames.{found, frame}
import needletail.websocket.frame.{CountedMemory, FrameReader}
import needletail.websocket.socket.{Broadcast, MemoryTunnel}

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

  /** The next message of a peer with that compressor. */
  private def flushed(deflater: RawDeflater, text: String): Array[Byte] = {
    val out   = new Array[Byte](10000)
    val bytes = text.getBytes("UTF-8")
    deflater.setInput(bytes, 0, bytes.length)
    val n = deflater.deflate(out, 0, out.length, flush = true)
    java.util.Arrays.copyOf(out, n - 4)
  }

  private def once[A](use: RawDeflater => A): A = {
    val deflater = new RawDeflater(6)
    try use(deflater)
    finally deflater.end()
  }
  private def flushed(text: String): Array[Byte] = once(flushed(_, text))

  /** In a stream of its own that ends. */
  private def finished(text: String) = once { deflater =>
    val out   = new Array[Byte](10000)
    val bytes = text.getBytes("UTF-8")
    deflater.setInput(bytes, 0, bytes.length)
    deflater.finish()
    java.util.Arrays.copyOf(out, deflater.deflate(out, 0, out.length, flush = false))
  }

  test("a message that ends with a final block is followed by others, with the window of all before") {
    val first = flushed(words)
    for (zero <- Seq(Array[Byte](0), Array.empty[Byte])) {
      // refers to the first message: its window has not been lost with the final block between them
      val third = once { peer =>
        flushed(peer, words + "end")
        flushed(peer, words)
      }
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
    val texts = (1 to 60).map(n => s"$n " + (words + n) * (n * 3 % 40))
    assertEquals(
      read(takeover = true, once(peer => texts.map(flushed(peer, _))): _*),
      texts.map("text " + _).toVector
    )
  }

  test("a truncated message is refused with 1007, wherever it is cut") {
    for (takeover <- Seq(true, false); whole <- Seq(finished(words), flushed(words)))
      for (length <- 1 until whole.length)
        assertEquals(
          read(takeover, java.util.Arrays.copyOf(whole, length), whole),
          Vector("failed 1007"),
          s"$length of ${whole.length}"
        )
  }

  test("a message that is not compressed has no more than the limit, although it could be") {
    def read(data: Array[Byte]) =
      found(
        new FrameReader(true, 10, Long.MaxValue, new CountedMemory, new DeflateCodec(6, 0, false, false, 15)),
        data,
        Seq(data.length)
      )
    val ten = Array.fill(10)('a'.toByte)
    assertEquals(read(frame(0x81, ten)), Vector("text " + "a" * 10))
    assertEquals(read(frame(0x81, ten :+ 'a'.toByte)), Vector("failed 1009"))
    assertEquals(read(frame(0x01, ten) ++ frame(0x80, Array('a'.toByte))), Vector("failed 1009"))
    val packed = flushed("a" * 10)
    assertEquals(read(frame(0x41, packed) ++ frame(0x80, Array.empty[Byte])), Vector("text " + "a" * 10))
    assertEquals(read(frame(0xc1, flushed("a" * 11))), Vector("failed 1009"))
  }

  test("an empty message is one with an empty block, or with nothing") {
    for (takeover <- Seq(true, false))
      assertEquals(
        read(takeover, Array[Byte](0), Array.empty, flushed("a"), Array.empty),
        Vector("text ", "text ", "text a", "text ")
      )
  }

  test("a message of many final blocks is refused") {
    assertEquals(read(takeover = true, Array.fill(1000)(Array[Byte](3, 0)).flatten), Vector("failed 1007"))
  }

  private def codec(takeover: Boolean) = new DeflateCodec(1, 0, takeover, takeover, 15)

  test("what an incomplete message holds is counted, refused without memory, and returned") {
    def data = frame(0x41, flushed(words).take(20))
    for (takeover <- Seq(true, false); whole <- Seq(true, false)) {
      val memory = new CountedMemory
      val reader = new FrameReader(true, 1 << 20, Long.MaxValue, memory, codec(takeover))
      assertEquals(found(reader, data, Seq(data.length)), Vector())
      assert(memory.held >= 40 * 1024 && memory.held == reader.held.toLong, memory.held.toString)
      if (whole) {
        val rest = frame(0x80, flushed(words).drop(20))
        assertEquals(found(reader, rest, Seq(rest.length)), Vector(s"text $words"))
        assertEquals(memory.held > 0, takeover)
      }
      reader.end()
      reader.end()
      assertEquals(memory.held, 0L)
    }
    val full =
      new FrameReader(true, 1 << 20, Long.MaxValue, new CountedMemory(20000), codec(takeover = false))
    assertEquals(found(full, data, Seq(data.length)), Vector("failed 1013"))
  }

  test("a compressor with context is counted; without memory messages are sent as they are") {
    val memory       = new CountedMemory(300 * 1024)
    val payload      = words.getBytes("UTF-8")
    val (one, other) = (codec(takeover = true), codec(takeover = true))
    val first        = one.compress(payload, memory)
    val again        = one.compress(payload, memory)
    assert(again.length < first.length / 2, s"${again.length} of ${first.length}")
    assertEquals(other.compress(payload, memory), null)
    // what is reclaimed was no more than a context
    one.relieve(memory)
    assertEquals(memory.held, 0L)
    assertEquals(one.compress(payload, memory).toSeq, first.toSeq)
    one.close(memory)
    one.close(memory)
    assertEquals(one.compress(payload, memory), null)
    assertEquals(memory.held, 0L)
    // by borrowed compressors nothing is held
    assertEquals(codec(takeover = false).compress(payload, memory).toSeq, first.toSeq)
    assertEquals(memory.held, 0L)
  }

  test("a message of a broadcast is not compressed, whatever was sent before it in the same turn") {
    val tunnel = new MemoryTunnel(codec = codec(takeover = false))
    val group  = new Broadcast
    tunnel.within(group.join(_))
    tunnel.loop.within { tunnel.socket.ping(Array('p'.toByte)); group.send(words) }
    tunnel.loop.runAll()
    assertEquals(tunnel.settle().output, Vector("ping p", s"text $words"))
  }

  test("a little input that is many large messages leaves turns to others") {
    val tunnel    = new MemoryTunnel(codec = codec(takeover = false))
    var delivered = List.empty[(Int, Int)] // the turn, and bytes
    tunnel.onMessage = message => delivered ::= ((tunnel.turns, message.bytes.length))
    val large = codec(takeover = false).compress(new Array[Byte](200 * 1024), new CountedMemory)
    val small = frame(0x82, Array.fill(10)('a'.toByte))
    tunnel.receive(Seq.fill(10)(frame(0xc2, large) ++ small).flatten.toArray)
    assertEquals(delivered.reverse.map(_._2), List.fill(10)(List(200 * 1024, 10)).flatten)
    assert(delivered.groupBy(_._1).values.forall(_.map(_._2).sum <= 456 * 1024), delivered)
    assert(tunnel.wantsInput && tunnel.bytesLeft == 0)
  }

  test("a large message in a little input leaves turns to others, and is what was sent, however it arrives") {
    val content = (words * 5000).take(1000 * 1000)
    for (takeover <- Seq(false, true); isWhole <- Seq(true, false)) {
      val tunnel   = new MemoryTunnel(codec = codec(takeover))
      val messages = Seq("before", content, "after", content.reverse)
      var got      = List.empty[(Int, String)] // the turn, and the message
      tunnel.onMessage = message => got ::= ((tunnel.turns, message.text))
      val peer = codec(takeover)
      val sent = messages.flatMap { message =>
        frame(0xc1, peer.compress(message.getBytes("UTF-8"), new CountedMemory)).toSeq
      }
      assert(sent.length < 20000, "it is not a little")
      if (isWhole) tunnel.receive(sent.toArray)
      else sent.grouped(7).foreach(piece => tunnel.receive(piece.toArray))
      assertEquals(got.reverse.map(_._2.length), messages.toList.map(_.length))
      assert(got.reverse.map(_._2) == messages.toList, "another message than was sent")
      if (isWhole) assert(got.head._1 - got.last._1 >= 6, got.map(_._1))
      assert(tunnel.wantsInput && tunnel.bytesLeft == 0)
    }
  }
}
