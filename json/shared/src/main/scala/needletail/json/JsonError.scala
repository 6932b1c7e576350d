package needletail.json

import needletail.routing.internal.matching.Quote

/**
 * Why a text is not JSON, or why a JSON value could not be converted.
 *
 * @param message the reason
 * @param path the place in the document, such as `items[2].price`; empty for the document itself
 * @param offset the offset in bytes (UTF-8) of a syntax error; -1 for other errors
 */
final case class JsonError(message: String, path: String = "", offset: Int = -1) {

  /**
   * One line, safe to be shown to a client: `malformed JSON: field 'items[2]': expected a value at byte 17`, or `field
   * 'amount': expected Integer, got a string`.
   */
  override def toString: String = {
    val where = if (path.isEmpty) "" else s"field '${Quote(path)}': "
    if (offset >= 0) s"malformed JSON: $where$message at byte $offset" else s"$where$message"
  }
}
