package needletail.http

/**
 * The characters of a text, to be looked at one after another: here taken out at once, since `charAt` is a call and two
 * checks for each of them.
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
