package needletail.tcp

import needletail.io.loop.LoopMemory
import needletail.testing.Suite

/** Long messages are collected at the cost of their length, within their limit and the loop's memory. */
class MessageReaderSuite extends Suite {

  /** Passes `text` on in windows of `size` bytes at most, as a connection does. Returns the lengths of the messages. */
  private def read(
      text: String,
      size: Int,
      maxMessage: Int,
      memory: LoopMemory = new LoopMemory
  ): Either[String, Seq[Int]] = {
    val reader              = new MessageReader(Lines.decoder(), maxMessage, memory)
    var left                = Array.empty[Byte]
    var lengths             = Seq.empty[Int]
    var bad: Option[String] = None
    val parts               = text.getBytes("ISO-8859-1").grouped(size)
    while (parts.hasNext && bad.isEmpty) {
      val window = left ++ parts.next()
      var go     = true
      reader.begin(window, 0, window.length)
      while (go) reader.next() match {
        case Decoded.Message(line, _) => lengths :+= line.length
        case Decoded.More             => go = false
        case Decoded.Bad(reason)      =>
          bad = Some(reason)
          go = false
      }
      left = window.drop(reader.used)
      reader.end()
      assert(
        bad.nonEmpty || left.length < MessageReader.Collect,
        s"${left.length} bytes are left in the window"
      )
      assertEquals(memory.held, reader.held.toLong)
    }
    if (bad.nonEmpty) reader.release()
    assertEquals((memory.held, reader.held), (0L, 0), "nothing is held after the last message")
    bad.toLeft(lengths)
  }

  test("messages of all lengths in windows of all sizes") {
    val lengths = Seq(0, 1, 16382, 16383, 16384, 16385, 40000, 3, 65535, 65536, 65537, 0, 200000, 5)
    val text    = lengths.map("x" * _ + "\n").mkString
    for (size <- Seq(100, 1000, 16383, 16384, 16385, 65536, 1000000))
      assertEquals(read(text, size, 200001), Right(lengths), s"windows of $size bytes")
  }

  test("the limit is the same however a message comes") {
    for (size <- Seq(100, 16384, 65536, 1000000); limit <- Seq(50, 16384, 30000, 100000)) {
      assertEquals(read("x" * (limit - 1) + "\n", size, limit), Right(Seq(limit - 1)), s"$limit in $size")
      for (length <- Seq(limit, limit + 1, 2 * limit + 65536, 10 * limit))
        assertEquals(
          read("x" * length + "\n", size, limit),
          Left(s"the message is longer than $limit bytes"),
          s"$length of $limit in $size"
        )
    }
  }

  test("without memory for it, a long message ends the connection, and short ones go on") {
    val memory = new LoopMemory
    memory.setBound(100000, () => ())
    assertEquals(read("x" * 20000 + "\n", 5000, 1000000, memory), Right(Seq(20000)))
    assertEquals(
      read("x" * 200000 + "\n", 5000, 1000000, memory),
      Left("there is no memory left for a message of that size")
    )
    assertEquals(read("x\n" * 10, 5000, 1000000, memory), Right(Seq.fill(10)(1)))
  }
}
