package needletail.gateway.format.fastcgi

import needletail.gateway.{Record, Records}
import needletail.gateway.format.cgi.Variables
import needletail.http.text.ByteWriter
import needletail.testing.Suite

class FastCgiRecordSuite extends Suite {
  import FastCgiRecord.*
  import Records.*

  private def everyKind: Array[Byte] = written { w =>
    FastCgiWriter.beginRequest(w, 1, Responder, keepConnection = true)
    FastCgiWriter.stream(w, Params, 1, latin1("parameters"), 0, 10)
    FastCgiWriter.endStream(w, Params, 1)
    FastCgiWriter.stream(w, Stdin, 0xfffe, latin1("_body_"), 1, 4)
    FastCgiWriter.abortRequest(w, 0xfffe)
    FastCgiWriter.unknownType(w, 77)
    FastCgiWriter.endRequest(w, 1, 0x01020304, Overloaded)
  }

  private val everyKindRead = Vector(
    Record(BeginRequest, 1, "\u0000\u0001\u0001\u0000\u0000\u0000\u0000\u0000"),
    Record(Params, 1, "parameters"),
    Record(Params, 1, ""),
    Record(Stdin, 0xfffe, "body"),
    Record(AbortRequest, 0xfffe, ""),
    Record(UnknownType, 0, "M\u0000\u0000\u0000\u0000\u0000\u0000\u0000"),
    Record(EndRequest, 1, "\u0001\u0002\u0003\u0004\u0002\u0000\u0000\u0000")
  )

  test("what the writer writes the parser reads") {
    val reading = read(everyKind)
    assertEquals(reading.records, everyKindRead)
    assertEquals(reading.error, null)
  }

  test("records split at every byte are the same records") {
    val bytes = everyKind
    for (split <- 0 to bytes.length) {
      val reading = new Reading
      reading.read(bytes, 0, split)
      reading.read(bytes, split, bytes.length)
      assertEquals(reading.records, everyKindRead, s"split at $split")
    }
  }

  test("records that come byte by byte are the same records") {
    val bytes   = everyKind
    val reading = new Reading
    for (i <- bytes.indices) reading.read(bytes, i, i + 1)
    assertEquals(reading.records, everyKindRead)
  }

  test("padding of every length is skipped, also behind no content") {
    val bytes = written { w =>
      for (padding <- 0 to 255; content <- List("", "x", "12345678"))
        w.write(record(Stdout, 3, latin1(content), padding))
    }
    val expected =
      for (_ <- 0 to 255; content <- List("", "x", "12345678")) yield Record(Stdout, 3, content)
    assertEquals(read(bytes).records, expected.toVector)
  }

  test("content of the greatest length") {
    val content = new Array[Byte](MaxContent)
    java.util.Arrays.fill(content, 'c'.toByte)
    val reading = read(record(Stdin, 1, content, 1))
    assertEquals(reading.records.map(_.content.length), Vector(MaxContent))
  }

  test("a stream longer than a record goes into several, none of them empty, each padded to eight") {
    val content = new Array[Byte](3 * MaxContent + 5)
    for (i <- content.indices) content(i) = ('a' + i % 26).toByte
    val bytes   = written(w => FastCgiWriter.stream(w, Stdout, 9, content, 0, content.length))
    val records = read(bytes).records
    assertEquals(records.map(_.content).mkString, new String(content, "ISO-8859-1"))
    assert(records.forall(r => r.content.nonEmpty && r.id == 9), records.map(_.content.length))
    assertEquals(bytes.length % 8, 0)
    assertEquals(written(w => FastCgiWriter.stream(w, Stdout, 9, content, 0, 0)).length, 0)
  }

  test("another version is refused with its first byte") {
    val reading = read(latin1("G"))
    assertEquals(reading.error, "the record's version is 71, not 1")
    reading.read(latin1("ET / HTTP/1.1"), 0, 13)
    assertEquals(reading.records, Vector.empty[Record])
  }

  test("who reads may stop between a header and its content, and go on later") {
    val bytes  = record(Stdin, 1, latin1("abc"), 5)
    val parser = new FastCgiParser
    val at     = parser.next(bytes, 0, bytes.length)
    assertEquals((at, parser.state, parser.left), (8, FastCgiParser.Begin, 3))
    val moved = bytes.drop(at)
    assertEquals(parser.next(moved, 0, moved.length), 3)
    assertEquals((parser.state, parser.dataFrom, parser.dataUntil), (FastCgiParser.Content, 0, 3))
  }

  test("GET_VALUES and its answer") {
    val pairs = new ByteWriter(16)
    NameValues.write(pairs, MaxRequests, "50")
    val bytes     = written(FastCgiWriter.management(_, GetValuesResult, pairs))
    val records   = read(bytes).records
    val variables = new Variables
    val content   = latin1(records.head.content)
    assert(NameValues.read(variables, content, 0, content.length))
    assertEquals(variables.toList, List(MaxRequests -> "50"))
    assertEquals((records.head.kind, records.head.id), (GetValuesResult, Management))
  }
}
