package needletail.http.text

/**
 * Indexed access to the characters of a string. On Native they are copied into an array first, since each `charAt`
 * costs a call and two bounds checks.
 */
private[http] object Chars {
  type Chars = Array[Char]

  def of(text: String): Chars = {
    val chars = new Array[Char](text.length)
    text.getChars(0, chars.length, chars, 0)
    chars
  }

  @inline def at(chars: Chars, index: Int): Char = chars(index)
}
