package needletail.http

import needletail.fuzz.{Check, FuzzTarget, Pieces}
import needletail.http.http1.ChunkedDecoder
import needletail.http.text.{ByteWriter, Latin1}

/**
 * Chunked bodies by [[ChunkedDecoder]]: the same whole and in pieces, and as for a regular expression; the decoded
 * data, encoded in chunks, is decoded to the same.
 */
object ChunksFuzz extends FuzzTarget("chunks") {
  private val Token  = "[-!#$%&'*+.^_`|~0-9A-Za-z]+"
  private val Quoted =
    "\"(?:[\\t\\x20-\\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*\""
  private val SizeLine = java.util.regex.Pattern.compile(
    s"([0-9A-Fa-f]{1,16})((?:[ \\t]*;[ \\t]*$Token(?:[ \\t]*=[ \\t]*(?:$Token|$Quoted))?)*)\\r\\n"
  )
  private final val MaxTrailers = 200
  private final val MaxFields   = 4

  private final case class Outcome(
      data: String,
      state: Int,
      used: Int,
      error: String,
      trailers: List[(String, String)]
  )

  def check(data: Array[Byte]): Unit = {
    val whole = decode(new ChunkedDecoder(MaxTrailers, MaxFields), data, Array(data.length), 'A')
    Pieces.of(data.length).foreach(ends =>
      Check.same(
        s"in ${ends.length} pieces",
        decode(new ChunkedDecoder(MaxTrailers, MaxFields), data, ends, '\n'),
        whole
      )
    )
    val again = new ChunkedDecoder(MaxTrailers, MaxFields)
    decode(again, data, Array(data.length), 'B')
    again.reset()
    Check.same("a second time", decode(again, data, Array(data.length), '0'), whole)
    compare(Check.text(data), whole)
    if (whole.data.nonEmpty) rewritten(whole.data)
  }

  override def read(data: Array[Byte]): Unit = {
    val decoder = new ChunkedDecoder(data.length, data.length)
    var at      = 0
    var before  = -1
    while (at != before && decoder.state < ChunkedDecoder.Done) {
      before = at
      at = decoder.decode(data, at, data.length)
    }
  }

  private def decode(decoder: ChunkedDecoder, bytes: Array[Byte], ends: Array[Int], filler: Byte): Outcome = {
    val data = new StringBuilder
    var at   = 0
    Pieces.feed(bytes, ends, filler) { (array, from, until) =>
      var go = decoder.state < ChunkedDecoder.Done
      while (go) {
        val used = decoder.decode(array, from + at, until) - from
        Check(used >= at && used <= until - from, s"used $used of ${until - from}")
        if (decoder.state == ChunkedDecoder.Data) {
          Check(
            decoder.dataFrom >= from + at && decoder.dataUntil <= from + used && decoder.dataFrom < decoder.dataUntil,
            "data lies elsewhere"
          )
          data.append(Latin1.decode(array, decoder.dataFrom, decoder.dataUntil))
        }
        go = decoder.state == ChunkedDecoder.Data || (decoder.state == ChunkedDecoder.More && used > at)
        at = used
      }
    }
    val state = if (decoder.state == ChunkedDecoder.Data) ChunkedDecoder.More else decoder.state
    Outcome(
      data.toString,
      state,
      if (state == ChunkedDecoder.Bad) -1 else at, // how far it read before it found an error is not compared
      if (state == ChunkedDecoder.Bad) s"${decoder.error.status} ${decoder.error.message}" else "",
      if (state == ChunkedDecoder.Done) decoder.trailers.toList else Nil
    )
  }

  /** An independent decoder must find the same, up to the error or the end of the input. */
  private def compare(text: String, found: Outcome): Unit = {
    val data     = new StringBuilder
    var at       = 0
    var overhead = 0L
    var done     = false
    var open     = true // whether everything so far is valid and incomplete
    while (open && !done) {
      val line = SizeLine.matcher(text.substring(at))
      if (!line.lookingAt()) open = false
      else {
        overhead += line.group(2).length
        val size = BigInt(line.group(1), 16)
        if (!size.isValidLong || overhead > data.length + 4096) open = false
        else {
          at += line.end
          if (size == 0) done = true
          else {
            val here = text.substring(at, at + size.min(BigInt(text.length - at)).toInt)
            data.append(here)
            at += here.length
            if (here.length < size || !text.startsWith("\r\n", at)) open = false else at += 2
          }
        }
      }
    }
    Check.same("data for another reader", found.data, data.toString)
    if (!done) Check(found.state != ChunkedDecoder.Done, "the end, of which another reader sees nothing")
    else {
      val end   = if (text.startsWith("\r\n", at)) at else text.indexOf("\r\n\r\n", at) + 2
      val lines =
        if (end == at) Nil else if (end < 2) null else text.substring(at, end - 2).split("\r\n", -1).toList
      if (lines == null) Check(found.state != ChunkedDecoder.Done, "trailers that do not end")
      else {
        val fields = StrictFields.of(lines)
        val good   = fields != null && fields.size <= MaxFields && end + 2 - at <= MaxTrailers
        Check.same("the end", found.state == ChunkedDecoder.Done, good)
        if (good) {
          Check.same("where it is", found.used, end + 2)
          Check(found.trailers.forall(fields.contains), s"trailers ${found.trailers} of $fields")
          val never =
            Set("content-length", "transfer-encoding", "host", "authorization", "cookie", "set-cookie")
          Check(!found.trailers.exists(t => never(t._1.toLowerCase)), s"trailers ${found.trailers}")
        }
      }
    }
  }

  private def rewritten(data: String): Unit = {
    val w     = new ByteWriter(64)
    val bytes = Check.bytes(data)
    bytes.grouped(7).foreach { piece =>
      ResponseEncoder.chunkHead(w, piece.length)
      w.write(piece)
      w.writeCrLf()
    }
    w.writeLatin1("0\r\n\r\n")
    val out = decode(new ChunkedDecoder(MaxTrailers, MaxFields), w.taken, Array(w.length), 'A')
    Check.same("put into chunks again", out, Outcome(data, ChunkedDecoder.Done, w.length, "", Nil))
  }
}
