package needletail.http.http1.fields

import needletail.http.text.Grammar

/** Iterates over the members of a comma-separated list (RFC 9110 §5.6.1) in place. */
private[needletail] object FieldList {

  /** Where the member at `p` ends: at a comma or at `until`. */
  def memberEnd(bytes: Array[Byte], p: Int, until: Int): Int = {
    var q = p
    while (q < until && bytes(q) != ',') q += 1
    q
  }

  def skipSpace(bytes: Array[Byte], p: Int, until: Int): Int = {
    var q = p
    while (q < until && (bytes(q) == ' ' || bytes(q) == '\t')) q += 1
    q
  }

  /** Where the text from `from` to `until` ends without its trailing white space. */
  def trimSpace(bytes: Array[Byte], from: Int, until: Int): Int = {
    var q = until
    while (q > from && (bytes(q - 1) == ' ' || bytes(q - 1) == '\t')) q -= 1
    q
  }

  def tokenEnd(bytes: Array[Byte], p: Int, until: Int): Int = {
    var q = p
    while (q < until && Grammar.is(bytes(q), Grammar.Token)) q += 1
    q
  }
}
