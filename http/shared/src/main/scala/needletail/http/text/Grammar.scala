package needletail.http.text

/** The character classes of RFC 9110 §5.6 and RFC 3986 as tables, one bit for each. */
private[needletail] object Grammar {
  final val Token = 1  // tchar, RFC 9110 §5.6.2
  final val Value = 2  // allowed in a field value: VCHAR, obs-text, SP, HTAB (RFC 9110 §5.5)
  final val Path  = 4  // pchar and "/", RFC 3986 §3.3
  final val Query = 8  // pchar, "/" and "?", RFC 3986 §3.4
  final val Digit = 16
  final val Hex   = 32
  final val Name  = 64 // unreserved and sub-delims: characters of a registered name, RFC 3986 §3.2.2

  val table: Array[Byte] = {
    val t                        = new Array[Byte](256)
    def add(bit: Int, c: Int)    = t(c) = (t(c) | bit).toByte
    def all(bit: Int, s: String) = s.foreach(c => add(bit, c.toInt))
    val alphanumeric             = (('a' to 'z') ++ ('A' to 'Z') ++ ('0' to '9')).mkString
    all(Token, alphanumeric + "!#$%&'*+-.^_`|~")
    all(Path | Query, alphanumeric + "-._~%!$&'()*+,;=:@/")
    all(Query, "?")
    all(Name, alphanumeric + "-._~!$&'()*+,;=")
    all(Digit | Hex, "0123456789")
    all(Hex, "abcdefABCDEF")
    (0x20 to 0xff).foreach(c => if (c != 0x7f) add(Value, c))
    add(Value, '\t')
    t
  }

  def is(byte: Byte, bit: Int): Boolean = (table(byte & 0xff) & bit) != 0

  /** Whether a percent sign with two hexadecimal digits begins at `at` (RFC 3986 §2.1). */
  def isEscape(bytes: Array[Byte], at: Int, until: Int): Boolean =
    at + 2 < until && bytes(at) == '%' && is(bytes(at + 1), Hex) && is(bytes(at + 2), Hex)

  /** The value of a hexadecimal digit. */
  def hex(digit: Byte): Int = if (digit <= '9') digit - '0' else (digit | 0x20) - 'a' + 10

  /** Whether this byte is allowed unescaped anywhere in a URI (RFC 3986 §2.3). */
  def isUnreserved(byte: Int): Boolean =
    (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
      byte == '-' || byte == '.' || byte == '_' || byte == '~'

  def isToken(s: String): Boolean = s.length > 0 && consists(s, Token)

  /** Whether `s` is valid as a field value: no CR, LF, NUL or other control character, nothing beyond Latin-1. */
  def isFieldValue(s: String): Boolean = consists(s, Value)

  private def consists(s: String, bit: Int): Boolean = {
    val chars = Chars.of(s)
    val n     = s.length
    var i     = 0
    while (
      i < n && {
        val c = Chars.at(chars, i)
        c <= 255 && (table(c.toInt) & bit) != 0
      }
    ) i += 1
    i == n
  }
}
