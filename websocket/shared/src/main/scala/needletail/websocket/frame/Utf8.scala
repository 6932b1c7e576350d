package needletail.websocket.frame

import needletail.http.text.Swar

/**
 * Checks that bytes are UTF-8 (RFC 3629), in the pieces in which they arrive. Between the pieces there is a state: 0
 * between characters, otherwise how many bytes the character still needs and between which two the next one has to be.
 */
private[websocket] object Utf8 {

  /** The state after bytes that are not the beginning of any text. */
  final val Bad = -1

  private final val Highs = 0x8080808080808080L

  private def state(needed: Int, least: Int, most: Int): Int = needed | (least << 8) | (most << 16)

  private val anyOne   = state(1, 0x80, 0xbf)
  private val anyTwo   = state(2, 0x80, 0xbf)
  private val anyThree = state(3, 0x80, 0xbf)

  /** The state after these bytes as well. */
  def check(before: Int, bytes: Array[Byte], from: Int, until: Int): Int = {
    Swar.checkRange(bytes, from, until - from)
    var now = before
    var at  = from
    while (at < until && now != Bad)
      if (now == 0) {
        while (at + 8 <= until && (Swar.load(bytes, at) & Highs) == 0) at += 8
        while (at < until && bytes(at) >= 0) at += 1
        if (at < until) {
          now = first(bytes(at) & 0xff)
          at += 1
        }
      } else {
        val byte = bytes(at) & 0xff
        now =
          if (byte < ((now >> 8) & 0xff) || byte > ((now >> 16) & 0xff)) Bad
          else
            (now & 3) match {
              case 1 => 0
              case 2 => anyOne
              case _ => anyTwo
            }
        at += 1
      }
    now
  }

  /** After the first byte of a character that is not ASCII: overlong forms and surrogates show in the second one. */
  private def first(byte: Int): Int =
    if (byte < 0xc2) Bad
    else if (byte < 0xe0) anyOne
    else if (byte == 0xe0) state(2, 0xa0, 0xbf)
    else if (byte == 0xed) state(2, 0x80, 0x9f)
    else if (byte < 0xf0) anyTwo
    else if (byte == 0xf0) state(3, 0x90, 0xbf)
    else if (byte < 0xf4) anyThree
    else if (byte == 0xf4) state(3, 0x80, 0x8f)
    else Bad
}
