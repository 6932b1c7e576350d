package needletail.websocket.frame

import needletail.http.text.ByteWriter

/** Frames as a peer writes them, right or wrong. */
object Frames {
  val key: Int = 0x7a3c51e9

  def bytes(values: Int*): Array[Byte] = values.map(_.toByte).toArray

  /** A frame in its shortest form, masked as clients do or not as servers do. */
  def frame(first: Int, payload: Array[Byte], masked: Boolean = true): Array[Byte] = {
    val w = new ByteWriter(payload.length + 14)
    if (masked) {
      FrameWriter.maskedHead(w, first, payload.length, key)
      FrameWriter.masked(w, payload, key)
    } else {
      FrameWriter.head(w, first, payload.length)
      w.write(payload)
    }
    w.taken
  }

  def text(content: String, masked: Boolean = true): Array[Byte] =
    frame(0x81, content.getBytes("UTF-8"), masked)

  def close(code: Int, reason: String = "", masked: Boolean = true): Array[Byte] =
    frame(0x88, bytes(code >> 8, code) ++ reason.getBytes("UTF-8"), masked)

  /** A header alone, with the length in the last `size` bytes. */
  def head(first: Int, second: Int, size: Int, length: Long): Array[Byte] =
    bytes(first, second) ++ (size - 1 to 0 by -1).map(i => (length >>> (8 * i)).toByte)

  /** What a reader finds in these bytes, given to it in pieces that end there, as text. */
  def found(reader: FrameReader, data: Array[Byte], ends: Seq[Int]): Vector[String] = {
    var all  = Vector.empty[String]
    var from = 0
    var over = false
    val rest = ends.iterator.buffered
    while (rest.hasNext && !over) {
      reader.open(data, from, rest.head)
      var go = true
      while (go) reader.next() match {
        case FrameReader.More    => go = false
        case FrameReader.Message =>
          all :+= (if (reader.isText) s"text ${new String(reader.data, "UTF-8")}"
                   else s"binary ${reader.data.toList.mkString(",")}")
        case FrameReader.Ping   => all :+= s"ping ${new String(reader.data, "ISO-8859-1")}"
        case FrameReader.Pong   => all :+= s"pong ${new String(reader.data, "ISO-8859-1")}"
        case FrameReader.Close  => all :+= s"close ${reader.code} ${reader.reason}"; go = false; over = true
        case FrameReader.Failed => all :+= s"failed ${reader.code}"; go = false; over = true
      }
      from = reader.close()
      if (!reader.isSpent) rest.next()
    }
    all
  }
}

/** Counts what a reader holds, up to a bound. */
final class CountedMemory(bound: Long = Long.MaxValue) extends FrameReader.Memory {
  var held = 0L
  var most = 0L

  def hold(more: Int, already: Long): Boolean = held + more <= bound && {
    held += more
    most = Math.max(most, held)
    true
  }
  def release(bytes: Int): Unit = held -= bytes
}
