package needletail.http.zlib

import java.util.zip.DataFormatException

import needletail.testing.Suite

/** Compressing and decompressing in pieces of any size. */
class RawDataSuite extends Suite {
  private val content = Array.tabulate(100000)(i => (i * i / 7 % 50 + 32).toByte)

  private def compressed(bytes: Array[Byte], room: Int, flush: Boolean): Array[Byte] = {
    val deflater = Deflaters.take(5)
    val out      = new java.io.ByteArrayOutputStream
    val piece    = new Array[Byte](room)
    deflater.setInput(bytes, 0, bytes.length)
    if (!flush) deflater.finish()
    var n = room
    while (n == room) {
      n = deflater.deflate(piece, 0, room, flush)
      out.write(piece, 0, n)
    }
    Deflaters.give(deflater)
    out.toByteArray
  }

  private def plain(bytes: Array[Byte], step: Int, room: Int): Array[Byte] = {
    val inflater = Inflaters.take()
    val out      = new java.io.ByteArrayOutputStream
    val piece    = new Array[Byte](room)
    try
      for (from <- bytes.indices by step) {
        inflater.setInput(bytes, from, Math.min(step, bytes.length - from))
        var n = 1
        while (n > 0) {
          n = inflater.inflate(piece, 0, room)
          out.write(piece, 0, n)
        }
        assertEquals(inflater.remaining, 0)
      }
    finally Inflaters.give(inflater)
    out.toByteArray
  }

  test("content comes back, flushed or finished, with any room for output") {
    for (flush <- Seq(true, false); room <- Seq(100, 4096, 200000)) {
      val data = compressed(content, room, flush)
      assert(data.length < content.length, data.length.toString)
      for (step <- Seq(37, data.length)) assert(java.util.Arrays.equals(plain(data, step, room), content))
    }
  }

  test("what is no deflate data fails, and leaves an inflater that can be used again") {
    val inflater = new RawInflater
    val out      = new Array[Byte](100)
    inflater.setInput(Array[Byte](7, 7, 7), 0, 3)
    intercept[DataFormatException](inflater.inflate(out, 0, out.length))
    inflater.reset()
    val data = compressed(content.take(50), 1000, flush = false)
    inflater.setInput(data, 0, data.length)
    assertEquals(inflater.inflate(out, 0, out.length), 50)
    assert(inflater.finished)
    inflater.end()
    inflater.end()
  }

  test("data refer to a dictionary") {
    val deflater = new RawDeflater(6)
    val out      = new Array[Byte](2000)
    deflater.setInput(content, 0, 1000)
    deflater.deflate(out, 0, out.length, flush = true)
    deflater.setInput(content, 0, 1000)
    val n        = deflater.deflate(out, 0, out.length, flush = true)
    val inflater = new RawInflater
    inflater.setDictionary(content, 0, 1000)
    inflater.setInput(out, 0, n)
    val read = new Array[Byte](2000)
    assertEquals(inflater.inflate(read, 0, read.length), 1000)
    assertEquals(read.take(1000).toSeq, content.take(1000).toSeq)
    assert(n < 100, n.toString)
    inflater.end()
    deflater.end()
  }
}
