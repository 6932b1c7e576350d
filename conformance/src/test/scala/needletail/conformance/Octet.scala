package needletail.conformance

/** Classes of octets, from the grammars. */
object Octet {
  private def in(set: String)(octet: Int): Boolean = octet < 128 && set.indexOf(octet.toChar) >= 0

  def isDigit(octet: Int): Boolean = octet >= '0' && octet <= '9'

  def isHex(octet: Int): Boolean = isDigit(octet) || in("abcdefABCDEF")(octet)

  def isAlpha(octet: Int): Boolean = (octet >= 'a' && octet <= 'z') || (octet >= 'A' && octet <= 'Z')

  /** RFC 9110 §5.6.2. */
  def isToken(octet: Int): Boolean = isDigit(octet) || isAlpha(octet) || in("!#$%&'*+-.^_`|~")(octet)

  /** RFC 3986 §2.3. */
  def isUnreserved(octet: Int): Boolean = isDigit(octet) || isAlpha(octet) || in("-._~")(octet)

  /** RFC 3986 §2.2. */
  def isSubDelimiter(octet: Int): Boolean = in("!$&'()*+,;=")(octet)

  /** What may stand in a query as it is (RFC 3986 §3.4). */
  def isQuery(octet: Int): Boolean = isUnreserved(octet) || isSubDelimiter(octet) || in(":@/?")(octet)

  /** SP and HTAB. */
  def isBlank(octet: Int): Boolean = octet == ' ' || octet == '\t'

  /** A field value's own octets, SP and HTAB (RFC 9110 §5.5). */
  def isFieldValue(octet: Int): Boolean = isBlank(octet) || (octet > ' ' && octet != 127)

  def isControl(octet: Int): Boolean = octet < ' ' || octet == 127

  val NUL = 0
  val LF  = 10
  val CR  = 13
}
