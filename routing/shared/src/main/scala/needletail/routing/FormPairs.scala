package needletail.routing

import needletail.http.Octets

/** Pairs `name=value` between ampersands, looked up where they lie: a query is not taken apart as a whole. */
private[routing] object FormPairs {

  /** In place of a text whose encoding is malformed; compared by reference. */
  val bad: String = new String("malformed")

  /** Calls `f(from, equals, until)` for each pair; `equals` is `until` where there is no "=". */
  def each(bytes: Array[Byte], from: Int, until: Int)(f: (Int, Int, Int) => Unit): Unit = {
    var start = from
    while (start < until) {
      val end = Octets.indexOf(bytes, '&', start, until)
      if (end > start) f(start, Octets.indexOf(bytes, '=', start, end), end)
      start = end + 1
    }
  }

  /** The first value of that name, null where there is none, `bad` where it is malformed. */
  def find(bytes: Array[Byte], from: Int, until: Int, name: Array[Byte]): String = {
    var start = from
    while (start < until) {
      val end    = Octets.indexOf(bytes, '&', start, until)
      val equals = Octets.indexOf(bytes, '=', start, end)
      // nothing between two ampersands is no pair, and so none without a name
      if (end > start && Percent.same(bytes, start, equals, name, plusIsSpace = true)) {
        val text = Percent.decode(bytes, Math.min(equals + 1, end), end, plusIsSpace = true)
        return if (text == null) bad else text
      }
      start = end + 1
    }
    null
  }

  /** All values of that name; null where one is malformed. */
  def findAll(bytes: Array[Byte], from: Int, until: Int, name: Array[Byte]): List[String] = {
    val texts = List.newBuilder[String]
    var good  = true
    each(bytes, from, until) { (start, equals, end) =>
      if (Percent.same(bytes, start, equals, name, plusIsSpace = true)) {
        val text = Percent.decode(bytes, Math.min(equals + 1, end), end, plusIsSpace = true)
        if (text == null) good = false else texts += text
      }
    }
    if (good) texts.result() else null
  }
}
