package needletail.json

import java.nio.charset.StandardCharsets.UTF_8

/**
 * Finds the field that a parse error is about: the parser reports an offset only, as it keeps no path. Used after an
 * error; valid documents cost nothing.
 */
private[needletail] object FieldPath {

  /** Maximum of characters of a path in messages; the rest is left out. */
  private val MaxLength = 64

  /** Maximum of levels that are kept: larger input is not parsed, and may begin with any number of them. */
  private val MaxDepth = 1024

  /**
   * The path of the value at `offset`, such as `items[2].price`; empty for the document itself. Bytes before `offset`
   * have been accepted by the parser, so they are well-formed.
   *
   * @param enclosing whether to return the path of the enclosing object instead, for a missing field
   */
  def at(bytes: Array[Byte], offset: Int, enclosing: Boolean): String = {
    val end  = Math.min(offset, bytes.length)
    var open = List.empty[Level]
    var kept = 0 // levels of `open`
    var i    = 0
    while (i < end && kept < MaxDepth) {
      bytes(i).toChar match {
        case '{' =>
          open ::= new Level(isArray = false)
          kept += 1
        case '[' =>
          open ::= new Level(isArray = true)
          kept += 1
        case '}' | ']' =>
          if (open.nonEmpty) {
            open = open.tail
            kept -= 1
          }
        case ':' => if (open.nonEmpty) open.head.isKey = false
        case ',' => if (open.nonEmpty) open.head.next()
        case '"' =>
          val from = i + 1
          i = closingQuote(bytes, from, end)
          if (open.nonEmpty && open.head.isKey && i < end)
            open.head.key = new String(bytes, from, i - from, UTF_8)
        case _ => ()
      }
      i += 1
    }
    text(if (enclosing && open.nonEmpty) open.tail else open)
  }

  /** The offset of the quote that ends the string, or `end`. */
  private def closingQuote(bytes: Array[Byte], from: Int, end: Int): Int = {
    var i = from
    while (i < end && bytes(i) != '"') i += (if (bytes(i) == '\\') 2 else 1)
    Math.min(i, end)
  }

  private def text(innermostFirst: List[Level]): String = {
    val out    = new StringBuilder
    val levels = innermostFirst.reverseIterator
    while (levels.hasNext && out.length <= MaxLength) {
      val level = levels.next()
      if (level.isArray) out.append('[').append(level.index).append(']')
      else if (level.key != null) {
        if (out.nonEmpty) out.append('.')
        out.append(level.key)
      }
    }
    out.toString
  }

  /** An open object or array, and the position in it. */
  private final class Level(val isArray: Boolean) {
    var index: Int     = 0
    var isKey: Boolean = !isArray // the next string is a key
    var key: String    = null

    def next(): Unit =
      if (isArray) index += 1
      else {
        isKey = true
        key = null
      }
  }
}
