package needletail.http

import needletail.fuzz.{Check, FuzzTarget, Pieces}
import needletail.http.http1.ResponseParser

/** Response heads by [[ResponseParser]], with the properties of [[RequestHeadFuzz]]. */
object ResponseHeadFuzz extends FuzzTarget("response-head") {
  private val StatusLine = """(?s)HTTP/1\.([01]) ([0-9]{3})(?: ([\t\x20-\x7e\x80-\xff]*))?""".r

  def check(data: Array[Byte]): Unit = if (data.length > 0) {
    val small  = (data(0) & 1) != 0
    val toHead = (data(0) & 2) != 0
    val bytes  = data.drop(1)
    val parser = make(small)
    val whole  = heads(parser, bytes, Array(bytes.length), toHead, 'A')
    parser.reset()
    Check.same("a second time", heads(parser, bytes, Array(bytes.length), toHead, '\n'), whole)
    Pieces.of(bytes.length).foreach(ends =>
      Check.same(s"in ${ends.length} pieces", heads(make(small), bytes, ends, toHead, '\r'), whole)
    )
    var at = 0
    whole.foreach { case (outcome, length) =>
      val text = Check.text(bytes.drop(at))
      (strict(text, small, toHead), length) match {
        case (Some(Right(expected)), n) if n > 0 =>
          Check.same("another reader", outcome, expected)
          at += n
        case (Some(Left(_)), ResponseParser.Bad) | (None, _) if length <= 0 => ()
        case (other, _) => throw new AssertionError(s"another reader: $other, $outcome")
      }
    }
  }

  override def read(data: Array[Byte]): Unit = {
    val parser = new ResponseParser(data.length, data.length)
    parser.parse(data, 0, data.length, toHead = false)
    ()
  }

  private def make(small: Boolean) =
    if (small) new ResponseParser(120, 4) else new ResponseParser(32 * 1024, 100)

  private def heads(
      parser: ResponseParser,
      bytes: Array[Byte],
      ends: Array[Int],
      toHead: Boolean,
      filler: Byte
  ): Vector[(String, Int)] = {
    val out  = Vector.newBuilder[(String, Int)]
    var at   = 0
    var over = false
    Pieces.feed(bytes, ends, filler) { (array, from, until) =>
      var go = !over
      while (go) {
        val n = parser.parse(array, from + at, until, toHead)
        if (n > 0) {
          Check(n <= until - from - at, s"$n bytes of ${until - from - at}")
          val head = parser.head
          out += ((
            rendered(
              head.code,
              head.minor,
              head.contentLength,
              head.chunked,
              head.keepAlive,
              head.toHeaders.toList
            ),
            n
          ))
          at += n
        } else {
          go = false
          if (n == ResponseParser.Bad) {
            over = true
            out += ((s"${parser.error.status} ${parser.error.message}", n))
          }
        }
      }
    }
    if (!over) out += (("more", ResponseParser.More))
    out.result()
  }

  private def rendered(
      code: Int,
      minor: Int,
      length: Long,
      chunked: Boolean,
      keepAlive: Boolean,
      fields: List[(String, String)]
  ) = s"$code $minor length $length chunked $chunked keepAlive $keepAlive $fields"

  /** None: the head is incomplete. Left: it is malformed. */
  private def strict(text: String, small: Boolean, toHead: Boolean): Option[Either[String, String]] = {
    val end = text.indexOf("\r\n\r\n")
    if (end < 0) None
    else if (end + 4 > (if (small) 120 else 32 * 1024)) Some(Left("too long"))
    else {
      val lines = text.substring(0, end).split("\r\n", -1).toList
      lines.head match {
        case StatusLine(minorText, codeText, _) =>
          val (minor, code) = (minorText.toInt, codeText.toInt)
          val fields        = StrictFields.of(lines.tail)
          if (code < 100) Some(Left("code"))
          else if (fields == null || fields.size > (if (small) 4 else 100)) Some(Left("fields"))
          else {
            val bare    = toHead || code < 200 || code == 204 || code == 304
            val framing = if (bare) Some(Some(0L)) else StrictFields.framing(fields, minor)
            framing match {
              case None         => Some(Left("framing"))
              case Some(length) =>
                val chunked    = length.contains(-1L)
                val untilClose = length.isEmpty
                val keeps      = !untilClose && StrictFields.keepAlive(fields, minor)
                Some(Right(rendered(code, minor, length.getOrElse(-1L), chunked, keeps, fields)))
            }
          }
        case _ => Some(Left("status line"))
      }
    }
  }
}
