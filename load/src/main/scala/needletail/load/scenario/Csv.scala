package needletail.load.scenario

import scala.collection.mutable

/** Parses comma-separated values (RFC 4180): rows of values, some of them quoted. */
private[scenario] object Csv {

  /** All rows except empty lines. Left is the error. */
  def parse(text: String): Either[String, Vector[Vector[String]]] = {
    val rows   = Vector.newBuilder[Vector[String]]
    val row    = mutable.ArrayBuffer.empty[String]
    val value  = new StringBuilder
    var quoted = false // inside quotes
    var was    = false // whether the value began with a quote
    var blank  = true  // whether the value is only white space so far
    var i      = 0

    def endValue(): Unit = {
      row += (if (was) value.toString else value.toString.trim)
      value.clear()
      was = false
      blank = true
    }
    def endRow(): Unit = {
      endValue()
      if (row.size > 1 || row(0).nonEmpty) rows += row.toVector
      row.clear()
    }
    while (i < text.length) {
      val c = text.charAt(i)
      if (quoted) {
        if (c != '"') value.append(c)
        else if (i + 1 < text.length && text.charAt(i + 1) == '"') {
          value.append('"')
          i += 1
        } else quoted = false
      } else if (c == '"' && blank && !was) {
        value.clear()
        quoted = true
        was = true
      } else if (c == ',') endValue()
      else if (c == '\n') endRow()
      else if (c != '\r' && !(was && c == ' ')) {
        value.append(c)
        if (c > ' ') blank = false
      }
      i += 1
    }
    if (quoted) Left("a quotation mark is not closed")
    else {
      endRow()
      Right(rows.result())
    }
  }
}
