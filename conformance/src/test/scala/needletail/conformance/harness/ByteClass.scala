package needletail.conformance.harness

/** Classes of bytes, from the grammars. */
object ByteClass {
  private def in(set: String)(byte: Int): Boolean = byte < 128 && set.indexOf(byte.toChar) >= 0

  def isDigit(byte: Int): Boolean = byte >= '0' && byte <= '9'

  def isHex(byte: Int): Boolean = isDigit(byte) || in("abcdefABCDEF")(byte)

  def isAlpha(byte: Int): Boolean = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')

  /** RFC 9110 §5.6.2. */
  def isToken(byte: Int): Boolean = isDigit(byte) || isAlpha(byte) || in("!#$%&'*+-.^_`|~")(byte)

  /** RFC 3986 §2.3. */
  def isUnreserved(byte: Int): Boolean = isDigit(byte) || isAlpha(byte) || in("-._~")(byte)

  /** RFC 3986 §2.2. */
  def isSubDelimiter(byte: Int): Boolean = in("!$&'()*+,;=")(byte)

  /** What may stand in a query as it is (RFC 3986 §3.4). */
  def isQuery(byte: Int): Boolean = isUnreserved(byte) || isSubDelimiter(byte) || in(":@/?")(byte)

  /** SP and HTAB. */
  def isBlank(byte: Int): Boolean = byte == ' ' || byte == '\t'

  /** A field value's own bytes, SP and HTAB (RFC 9110 §5.5). */
  def isFieldValue(byte: Int): Boolean = isBlank(byte) || (byte > ' ' && byte != 127)

  def isControl(byte: Int): Boolean = byte < ' ' || byte == 127

  val NUL = 0
  val LF  = 10
  val CR  = 13
}
