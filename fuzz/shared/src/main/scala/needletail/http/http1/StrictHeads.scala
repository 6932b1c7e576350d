package needletail.http.http1

import needletail.http.StrictFields

/** Response heads without contents, one after the other, read as simply as possible. */
private[needletail] object StrictHeads {
  private val StatusLine = """(?s)HTTP/1\.[01] ([1-5][0-9]{2})(?: [\t\x20-\x7e\x80-\xff]*)?""".r

  /** The status of the first final response, and where its head ends; None if it is malformed or incomplete. */
  def answer(text: String): Option[(Int, Int)] = {
    var from   = 0
    var result = None: Option[(Int, Int)]
    var over   = false
    while (!over) {
      val end = text.indexOf("\r\n\r\n", from)
      over = end < 0
      if (!over) {
        val lines  = text.substring(from, end).split("\r\n", -1).toList
        val fields = StrictFields.of(lines.tail)
        from = end + 4
        lines.head match {
          case StatusLine(status) if fields != null && fields.size <= 100 =>
            over = status.head != '1' || status == "101"
            if (over) result = Some((status.toInt, from))
          case _ => over = true
        }
      }
    }
    result
  }
}
