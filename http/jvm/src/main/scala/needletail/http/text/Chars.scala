package needletail.http.text

/** Indexed access to the characters of a string. On the JVM this is the string itself. */
private[http] object Chars {
  type Chars = String

  @inline def of(text: String): Chars            = text
  @inline def at(chars: Chars, index: Int): Char = chars.charAt(index)
}
