package needletail.http

/** The characters of a text, to be looked at one after another: here the text itself. */
private[http] object Chars {
  type Chars = String

  @inline def of(text: String): Chars            = text
  @inline def at(chars: Chars, index: Int): Char = chars.charAt(index)
}
