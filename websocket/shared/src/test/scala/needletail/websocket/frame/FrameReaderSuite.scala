package needletail.websocket.frame

import needletail.testing.Suite

/** What RFC 6455 §5 and §7 allow and forbid: each case whole, split at every byte, and byte by byte. */
class FrameReaderSuite extends Suite {
  import Frames._

  private def reader(
      memory: CountedMemory = new CountedMemory,
      maxMessage: Int = 1 << 20,
      isServer: Boolean = true
  ) =
    new FrameReader(isServer, maxMessage, Long.MaxValue, memory)

  private def check(data: Array[Byte], expected: String*)(implicit isServer: Boolean = true): Unit = {
    val ways = Seq(Seq(data.length)) ++ (1 until data.length).map(Seq(_, data.length)) :+ (1 to data.length)
    for (ends <- ways) {
      val memory = new CountedMemory
      val r      = reader(memory, isServer = isServer)
      assertEquals(found(r, data, ends), expected.toVector, ends)
      r.end()
      assertEquals(memory.held, 0L)
    }
  }

  test("messages of one frame, of many, and of none of the bytes") {
    check(text("hello"), "text hello")
    check(text("") ++ text("ü€😀"), "text ", "text ü€😀")
    check(frame(0x82, bytes(1, 2, 255)), "binary 1,2,-1")
    check(frame(0x01, bytes('a')) ++ frame(0x00, bytes('b')) ++ frame(0x80, bytes('c')), "text abc")
    check(frame(0x02, bytes()) ++ frame(0x80, bytes()), "binary ")
    check(frame(0x01, bytes(0xe2)) ++ frame(0x00, bytes(0x82)) ++ frame(0x80, bytes(0xac)), "text €")
  }

  test("the three forms of a length, and none that is longer than needed") {
    for (n <- Seq(125, 126, 127, 65535, 65536)) {
      val data = frame(0x82, new Array[Byte](n))
      for (ends <- Seq(Seq(data.length), Seq(3, 9, 20, data.length)))
        assertEquals(found(reader(), data, ends), Vector("binary " + List.fill(n)(0).mkString(",")), n)
    }
    check(head(0x82, 0xfe, 2, 125), "failed 1002")
    check(head(0x82, 0xff, 8, 65535), "failed 1002")
    check(head(0x82, 0xff, 8, Long.MinValue), "failed 1002")
    check(head(0x82, 0xff, 8, -1), "failed 1002")
  }

  test("whatever the first bytes say, what is found does not depend on how many are there") {
    val short   = Seq(0, 1, 2, 3, 8, 60, 125).map(bytes(_))
    val two     = Seq(125, 126, 130, 131, 256).map(n => bytes(126, n >> 8, n))
    val lengths = short ++ two :+ bytes(127, 0, 0, 0, 0, 0, 1, 0, 0)
    for {
      isServer <- Seq(true, false)
      key      <- Seq(bytes(0, 0, 0, 0), bytes(0x80, 0xc3, 0xa9, 1))
      first    <- 0 to 255
      length   <- lengths
      mask     <- Seq(0, 0x80)
    } {
      val head   = bytes(first, mask | length(0)) ++ length.drop(1) ++ (if (mask == 0) bytes() else key)
      val data   = head ++ Array.fill(140)('x'.toByte) ++ text("z")
      val whole  = found(reader(maxMessage = 130, isServer = isServer), data, Seq(data.length))
      val single = found(reader(maxMessage = 130, isServer = isServer), data, 1 to data.length)
      assertEquals(whole, single, (isServer, first, length.toList, mask))
    }
  }

  test("control frames between the fragments of a message") {
    check(
      frame(0x01, bytes('a')) ++ frame(0x89, bytes('p')) ++ frame(0x8a, bytes()) ++ frame(0x80, bytes('b')),
      "ping p",
      "pong ",
      "text ab"
    )
    check(frame(0x89, Array.fill(125)('x'.toByte)), "ping " + "x" * 125)
  }

  test("what is forbidden ends the connection, and nothing after it is read") {
    val after = text("never")
    for (first <- Seq(0xc1, 0xa1, 0x91))
      check(frame(first, bytes('a')) ++ after, "failed 1002") // reserved bits
    for (opcode <- (3 to 7) ++ (11 to 15)) check(frame(0x80 | opcode, bytes()) ++ after, "failed 1002")
    check(frame(0x09, bytes()) ++ after, "failed 1002")                 // fragmented ping
    check(head(0x89, 0xfe, 2, 126) ++ after, "failed 1002")             // long ping
    check(frame(0x80, bytes('a')) ++ after, "failed 1002")              // continues nothing
    check(frame(0x01, bytes('a')) ++ text("b") ++ after, "failed 1002") // begins within another
    check(text("hello", masked = false) ++ after, "failed 1002")
  }

  test("a client takes frames that are not masked only") {
    check(text("hello", masked = false), "text hello")(isServer = false)
    check(text("hello"), "failed 1002")(isServer = false)
  }

  test("close frames, with the codes that are allowed") {
    check(frame(0x88, bytes()), "close 1005 ")
    check(close(1000) ++ text("never"), "close 1000 ")
    check(close(4999, "bye ü"), "close 4999 bye ü")
    check(frame(0x88, bytes(3)), "failed 1002")
    for (code <- Seq(0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535))
      check(close(code), "failed 1002")
    check(frame(0x88, bytes(3, 0xe8, 0xff)), "failed 1007")
  }

  test("a text that is not UTF-8 fails as soon as that shows") {
    for (
      bad <- Seq(
        bytes(0xff),
        bytes(0xc0, 0x80),
        bytes(0xe0, 0x80),
        bytes(0xed, 0xa0),
        bytes(0xf0, 0x80),
        bytes(0xf4, 0x90),
        bytes('a', 0x80)
      )
    ) {
      check(frame(0x81, bad), "failed 1007")
      // the rest of the frame is still to come
      check(
        frame(0x01, bytes('o', 'k')) ++ frame(0x80, bad ++ new Array[Byte](100)).take(6 + bad.length),
        "failed 1007"
      )
    }
    check(frame(0x81, bytes(0xe2, 0x82)), "failed 1007") // ends within a character
    check(frame(0x82, bytes(0xff)), "binary -1")
  }

  test("a message that is too large fails at its header, also over several frames") {
    def read(data: Array[Byte]) = {
      val r = reader(maxMessage = 10)
      val x = found(r, data, Seq(data.length))
      r.end()
      x
    }
    assertEquals(read(text("0123456789")), Vector("text 0123456789"))
    assertEquals(read(text("0123456789x").take(2)), Vector("failed 1009"))
    assertEquals(
      read(frame(0x01, bytes('a')) ++ frame(0x80, Array.fill(10)('b'.toByte)).take(2)),
      Vector("failed 1009")
    )
    assertEquals(read(head(0x82, 0xff, 8, Long.MaxValue)), Vector("failed 1009"))
  }

  test("an announced length holds no memory, and what arrives at most twice itself") {
    val memory = new CountedMemory
    val r      = new FrameReader(true, 1 << 30, Long.MaxValue, memory)
    val head   = Frames.head(0x82, 0xff, 8, 1 << 29) ++ bytes(1, 2, 3, 4)
    assertEquals(found(r, head, Seq(head.length)), Vector())
    assertEquals(memory.held, 0L)
    val some = new Array[Byte](1000)
    for (n <- 1 to 50) {
      found(r, some, Seq(some.length))
      assert(memory.held <= 2000L * n, s"${memory.held} for ${1000 * n}")
    }
  }

  test("a long message takes a piece more than has arrived of it, and comes whole, however it is split") {
    val content = Array.tabulate(300001)(i => (i * 31 >> 3).toByte)
    for (size <- Seq(1000, 4096, 32703, 32704, 32705, 70000, 300001)) {
      val memory = new CountedMemory
      val r      = new FrameReader(true, 300001, Long.MaxValue, memory)
      val frames = content.grouped(size).toVector
      var there  = 0
      for ((payload, i) <- frames.zipWithIndex.init) {
        val data = frame(if (i == 0) 0x02 else 0x00, payload)
        assertEquals(found(r, data, Seq(data.length / 3, data.length)), Vector())
        there += payload.length
        assert(memory.held <= there + Math.min(there, 32 * 1024), s"${memory.held} for $there")
      }
      val last = frame(if (frames.length == 1) 0x82 else 0x80, frames.last)
      r.open(last, 0, last.length)
      assertEquals(r.next(), FrameReader.Message)
      assert(java.util.Arrays.equals(r.data, content), size.toString)
      assertEquals(r.close(), last.length)
      assertEquals(memory.held, 0L)
    }
  }

  test("a character of a text may begin in one piece of a long message and end in the next") {
    val content = ("x" * 32703 + "\u20ac" * 20000).getBytes("UTF-8")
    val data    = frame(0x01, content) ++ frame(0x80, Array())
    val r       = reader(maxMessage = 1 << 20)
    r.open(data, 0, data.length)
    assertEquals(r.next(), FrameReader.Message)
    assert(java.util.Arrays.equals(r.data, content))
    data(data.length - 12) = 'x' // within a character, in the last piece
    val other = reader(maxMessage = 1 << 20)
    assertEquals(found(other, data, Seq(data.length)), Vector("failed 1007"))
  }

  test("a message that was found is not kept while nothing arrives") {
    val r    = reader()
    val data = frame(0x82, new Array[Byte](100000))
    for (ends <- Seq(Seq(data.length), Seq(50000, data.length))) {
      assertEquals(found(r, data, ends).length, 1)
      assertEquals(r.data.length, 0)
      assertEquals(r.held, 0)
    }
  }

  test("a message in pieces is delivered only if there is memory for its array beside them") {
    val piece   = 32 * 1024 - 64
    val content = new Array[Byte](50000)
    val data    = frame(0x02, content) ++ frame(0x80, Array())
    for ((less, expected) <- Seq(0 -> FrameReader.Message, 1 -> FrameReader.Failed)) {
      val memory = new CountedMemory(2 * piece + content.length - less)
      val r      = reader(memory)
      r.open(data, 0, data.length)
      assertEquals(r.next(), expected)
      if (less == 0) assertEquals(r.data.length, content.length)
      else assertEquals(r.code, CloseCode.TryAgainLater)
      r.close()
      r.end()
      assertEquals(memory.held, 0L)
    }
  }

  test("without memory a message fails, and what it held is released") {
    val memory = new CountedMemory(100)
    val r      = reader(memory)
    val data   = frame(0x02, new Array[Byte](60)) ++ frame(0x80, new Array[Byte](60))
    assertEquals(found(r, data, Seq(data.length)), Vector("failed 1013"))
    r.end()
    assertEquals(memory.held, 0L)
  }
}
