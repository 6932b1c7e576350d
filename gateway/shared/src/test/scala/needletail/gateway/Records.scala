package needletail.gateway

import java.nio.charset.StandardCharsets.ISO_8859_1

import needletail.gateway.format.fastcgi.{FastCgiParser, FastCgiWriter, NameValues}
import needletail.http.text.ByteWriter

/** One whole record, for tests. */
final case class Record(kind: Int, id: Int, content: String)

private[gateway] object Records {
  def latin1(text: String): Array[Byte] = text.getBytes(ISO_8859_1)

  def text(w: ByteWriter): String = new String(w.bytes, 0, w.length, ISO_8859_1)

  def written(f: ByteWriter => Unit): Array[Byte] = {
    val w = new ByteWriter(64)
    f(w)
    java.util.Arrays.copyOf(w.bytes, w.length)
  }

  /** A record with padding of the writer's choice. */
  def record(kind: Int, id: Int, content: Array[Byte], padding: Int): Array[Byte] = written { w =>
    FastCgiWriter.header(w, kind, id, content.length, padding)
    w.write(content)
    w.write(new Array[Byte](padding))
  }

  def params(pairs: (String, String)*): Array[Byte] =
    written(w => pairs.foreach { case (name, value) => NameValues.write(w, name, value) })

  /** What a parser makes of the pieces: whole records, and the error it ends with, or null. */
  final class Reading {
    private val parser  = new FastCgiParser
    private var content = new StringBuilder
    var records         = Vector.empty[Record]

    def error: String = parser.error

    /** Hands over `bytes`, which the parser must use to the end. */
    def read(bytes: Array[Byte], from: Int, until: Int): Unit = {
      var at = from
      var go = true
      while (go) {
        at = parser.next(bytes, at, until)
        parser.state match {
          case FastCgiParser.Begin   => content = new StringBuilder
          case FastCgiParser.Content =>
            content.append(new String(bytes, parser.dataFrom, parser.dataUntil - parser.dataFrom, ISO_8859_1))
          case FastCgiParser.End => records :+= Record(parser.kind, parser.id, content.toString)
          case _                 => go = false
        }
      }
      if (at != until) throw new AssertionError(s"used until $at, not $until")
    }
  }

  def read(bytes: Array[Byte]): Reading = {
    val reading = new Reading
    reading.read(bytes, 0, bytes.length)
    reading
  }
}
