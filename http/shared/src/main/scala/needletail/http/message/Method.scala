package needletail.http.message

import needletail.http.text.Grammar

/**
 * A request method (RFC 9110 §9): a case-sensitive token. Registered methods are constants, compared by reference; any
 * other token is a method too.
 */
final class Method private (val name: String, private[needletail] val code: Int) {

  /** Whether it changes nothing on the server (RFC 9110 §9.2.1). */
  def isSafe: Boolean = code >= 0 && code <= 3

  /** Whether repeating it has the same effect as doing it once (RFC 9110 §9.2.2). */
  def isIdempotent: Boolean = isSafe || code == 4 || code == 5

  // Natively a comparison with a constant of the companion first checks that the companion has been initialised
  private[needletail] def isGet: Boolean     = code == 0
  private[needletail] def isHead: Boolean    = code == 1
  private[needletail] def isPost: Boolean    = code == 6
  private[needletail] def isConnect: Boolean = code == 8

  override def equals(other: Any): Boolean = other match {
    case m: Method => (m eq this) || (code < 0 && m.code < 0 && m.name == name)
    case _         => false
  }
  override def hashCode: Int    = name.hashCode
  override def toString: String = name
}

object Method {
  val GET     = new Method("GET", 0)
  val HEAD    = new Method("HEAD", 1)
  val OPTIONS = new Method("OPTIONS", 2)
  val TRACE   = new Method("TRACE", 3)
  val PUT     = new Method("PUT", 4)
  val DELETE  = new Method("DELETE", 5)
  val POST    = new Method("POST", 6)
  val PATCH   = new Method("PATCH", 7)
  val CONNECT = new Method("CONNECT", 8)

  /** Indexed by `code`. */
  private[needletail] val known: Array[Method] =
    Array(GET, HEAD, OPTIONS, TRACE, PUT, DELETE, POST, PATCH, CONNECT)

  /** The method with that name. Throws IllegalArgumentException if the name is not a token. */
  def apply(name: String): Method = {
    var i = 0
    while (i < known.length) {
      if (known(i).name == name) return known(i)
      i += 1
    }
    if (!Grammar.isToken(name)) throw new IllegalArgumentException(s"not a method: '$name'")
    new Method(name, -1)
  }

  /** The method whose name these bytes are; they are known to be a token. */
  private[needletail] def of(bytes: Array[Byte], from: Int, until: Int): Method = {
    var i = 0
    while (i < known.length) {
      if (sameBytes(known(i).name, bytes, from, until)) return known(i)
      i += 1
    }
    new Method(new String(bytes, from, until - from, java.nio.charset.StandardCharsets.ISO_8859_1), -1)
  }

  private def sameBytes(name: String, bytes: Array[Byte], from: Int, until: Int): Boolean =
    name.length == until - from && {
      var i = 0
      while (i < name.length && name.charAt(i) == bytes(from + i)) i += 1
      i == name.length
    }
}
