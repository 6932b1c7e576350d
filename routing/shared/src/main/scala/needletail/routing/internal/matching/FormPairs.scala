package needletail.routing.internal.matching

import needletail.http.text.Swar

/** Finds pairs `name=value` between ampersands in place: the query is not parsed as a whole. */
private[routing] object FormPairs {

  /** Returned for malformed encoding; compared by reference. */
  val bad: String = new String("malformed")

  /** Calls `f(from, equals, until)` for each pair; `equals` is `until` if there is no "=". */
  def each(bytes: Array[Byte], from: Int, until: Int)(f: (Int, Int, Int) => Unit): Unit = {
    var start = from
    while (start < until) {
      val end = Swar.indexOf(bytes, '&', start, until)
      if (end > start) f(start, Swar.indexOf(bytes, '=', start, end), end)
      start = end + 1
    }
  }

  /** The first value with that name; null if there is none, `bad` if it is malformed. */
  def find(bytes: Array[Byte], from: Int, until: Int, name: Array[Byte]): String = {
    var start = from
    while (start < until) {
      val end    = Swar.indexOf(bytes, '&', start, until)
      val equals = Swar.indexOf(bytes, '=', start, end)
      // an empty part between two ampersands is not a pair
      if (end > start && Percent.same(bytes, start, equals, name, plusIsSpace = true)) {
        val text = Percent.decode(bytes, Math.min(equals + 1, end), end, plusIsSpace = true)
        return if (text == null) bad else text
      }
      start = end + 1
    }
    null
  }

  /** All values with that name; null if one is malformed. */
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
