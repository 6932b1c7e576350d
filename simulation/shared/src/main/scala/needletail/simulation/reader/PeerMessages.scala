package needletail.simulation.reader

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

import needletail.simulation.world.SeededRandom

/** What is said on a WebSocket: message `i` of a peer is the same for all who know both numbers. */
object PeerMessages {
  final case class Message(isText: Boolean, bytes: Array[Byte]) {
    def is(text: Boolean, content: Array[Byte]): Boolean = text == isText && Arrays.equals(bytes, content)

    def text: String = new String(bytes, UTF_8)
  }

  /** A peer number for what the server says to this one of itself. */
  def serverTo(peer: Int): Int = 1000 + peer

  /** Characters of two, three and four bytes, which a fragment may split. */
  private val more = "\u00e4\u20ac\ud83d\ude00"

  def apply(peer: Int, i: Int): Message = {
    val random = new SeededRandom(peer * 1000003L + i)
    val mark   = Mark(peer, i)
    val size   = random.below(20) match {
      case 0           => 0
      case n if n < 14 => random.skewed(300)
      case n if n < 19 => random.skewed(5000)
      case _           => random.skewed(80000)
    }
    if (random.percent(50))
      Message(isText = true, ((mark + more) * (1 + size / (mark.length + 9))).getBytes(UTF_8))
    else {
      val bytes = Mark.content(mark, mark.length + 1 + size)
      bytes(bytes.length - 1) = -1 // no text
      Message(isText = false, bytes)
    }
  }

  /** For messages of the simulation: whose they are, whether or not they are whole. */
  def markOf(bytes: Array[Byte]): String = {
    val head = new String(bytes, 0, math.min(bytes.length, 24), "ISO-8859-1")
    head.substring(0, head.indexOf(';') + 1)
  }
}
