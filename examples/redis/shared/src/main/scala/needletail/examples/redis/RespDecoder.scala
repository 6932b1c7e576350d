package needletail.examples.redis

import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable.ArrayBuffer

import needletail.tcp.{Decoded, Decoder}

/**
 * Decodes RESP2 and RESP3. It remembers what it has decoded of an incomplete value, so that a long one costs time in
 * proportion to its length however it comes. Streamed values of RESP3, which Redis does not send, are refused.
 */
private[redis] final class RespDecoder extends Decoder[RespValue] {
  import RespDecoder._

  private var open   = List.empty[Aggregate] // the innermost first
  private var looked = 0                     // bytes of this message that are decoded

  def decode(bytes: Array[Byte], from: Int, until: Int): Decoded[RespValue] = {
    var at                         = from + looked
    var result: Decoded[RespValue] = null
    while (result == null) element(bytes, at, until) match {
      case More          => result = Decoded.More
      case Bad(reason)   => result = Decoded.Bad(reason)
      case Begin(a, end) =>
        at = end
        if (open.lengthCompare(MaxDepth) >= 0)
          result = Decoded.Bad(s"values are nested more than $MaxDepth deep")
        else if (a.left > 0) open = a :: open
        else result = complete(a.value, at)
      case Leaf(value, end) =>
        at = end
        result = complete(value, at)
    }
    looked = result match {
      case Decoded.More => at - from
      case _            => 0
    }
    if (looked == 0) open = Nil
    result
  }

  /** A value is complete, and with it perhaps those around it. Null if one around it is not. */
  private def complete(value: RespValue, at: Int): Decoded[RespValue] = {
    var inner = value
    while (open.nonEmpty) {
      val a = open.head
      a.add(inner)
      if (a.left > 0) return null
      open = open.tail
      if (a.kind == '|') return null // attributes: what they describe follows
      inner = a.value
    }
    Decoded.Message(inner, at)
  }

  /** The value, or the beginning of an aggregate, at an index. */
  private def element(bytes: Array[Byte], at: Int, until: Int): Element = {
    val end = lineEnd(bytes, at, until)
    if ((if (end < 0) until else end) - at > MaxLine) Bad(s"a line is longer than $MaxLine bytes")
    else if (end < 0) More
    else if (end - at < 1 || bytes(end + 1) != '\n')
      Bad("a line has to begin with a type, and to end in CR and LF")
    else {
      val next = end + 2
      bytes(at).toChar match {
        case '+' => Leaf(RespValue.Simple(text(bytes, at + 1, end)), next)
        case '-' => Leaf(RespValue.Failed(text(bytes, at + 1, end)), next)
        case ':' =>
          number(bytes, at + 1, end).fold[Element](Bad("not a number"))(n => Leaf(RespValue.Number(n), next))
        case '_' if end == at + 1                          => Leaf(RespValue.Null, next)
        case '#' if end == at + 2 && isBool(bytes(at + 1)) => Leaf(RespValue.Bool(bytes(at + 1) == 't'), next)
        case ',' | '(' if end > at + 1 => Leaf(RespValue.Decimal(text(bytes, at + 1, end)), next)
        case kind @ ('$' | '!' | '=')  => blob(kind, number(bytes, at + 1, end), bytes, next, until)
        case kind @ ('*' | '%' | '~' | '>' | '|') => aggregate(kind, number(bytes, at + 1, end), next)
        case other => Bad(f"no type is written as '$other%c' (${other.toInt}%d), or not like that")
      }
    }
  }

  private def blob(kind: Char, length: Option[Long], bytes: Array[Byte], at: Int, until: Int): Element =
    length match {
      case Some(-1) if kind == '$'                     => Leaf(RespValue.Null, at)
      case Some(n) if n >= 0 && n <= Int.MaxValue - 64 =>
        val end = at + n
        if (until < end + 2) {
          // the end of the content is checked as soon as it has arrived
          if (until > end && bytes(end.toInt) != '\r') Bad("content has to be followed by CR and LF")
          else More
        } else if (bytes(end.toInt) != '\r' || bytes(end.toInt + 1) != '\n')
          Bad("content has to be followed by CR and LF")
        else {
          val content = java.util.Arrays.copyOfRange(bytes, at, end.toInt)
          val next    = end.toInt + 2
          kind match {
            case '$' => Leaf(RespValue.Bulk(content), next)
            case '!' => Leaf(RespValue.Failed(new String(content, UTF_8)), next)
            case _   =>
              if (n < 4 || content(3) != ':') Bad("text has to begin with its format")
              else
                Leaf(
                  RespValue.Verbatim(
                    text(content, 0, 3),
                    java.util.Arrays.copyOfRange(content, 4, content.length)
                  ),
                  next
                )
          }
        }
      case _ => Bad("not a length")
    }

  private def aggregate(kind: Char, count: Option[Long], next: Int): Element = count match {
    case Some(-1) if kind == '*'                    => Leaf(RespValue.Null, next)
    case Some(0) if kind == '>'                     => Bad("a push without a kind")
    case Some(n) if n >= 0 && n <= Int.MaxValue / 2 =>
      if (n == 0 && kind == '|') Bad("attributes without any")
      else Begin(new Aggregate(kind, if (kind == '%' || kind == '|') 2 * n else n), next)
    case _ => Bad("not a count")
  }
}

private object RespDecoder {
  private final val MaxDepth = 32
  private final val MaxLine  = 64 * 1024

  private sealed abstract class Element
  private case object More                                       extends Element
  private final case class Bad(reason: String)                   extends Element
  private final case class Leaf(value: RespValue, end: Int)      extends Element
  private final case class Begin(aggregate: Aggregate, end: Int) extends Element

  /** An aggregate of which `left` elements are to come. Its count is not trusted: it takes room as they come. */
  private final class Aggregate(val kind: Char, var left: Long) {
    private val elements = new ArrayBuffer[RespValue](if (left < 16) left.toInt else 16)

    def add(value: RespValue): Unit = {
      elements += value
      left -= 1
    }

    def value: RespValue = kind match {
      case '*' => RespValue.Items(elements.toVector)
      case '~' => RespValue.Distinct(elements.toVector)
      case '>' => RespValue.Push(elements.toVector)
      case _   => RespValue.Fields(elements.grouped(2).map(pair => (pair(0), pair(1))).toVector)
    }
  }

  private def isBool(b: Byte) = b == 't' || b == 'f'

  private def text(bytes: Array[Byte], from: Int, until: Int) = new String(bytes, from, until - from, UTF_8)

  /** The index of the first CR that something follows; -1 if there is none. */
  private def lineEnd(bytes: Array[Byte], from: Int, until: Int): Int = {
    var i = from
    while (i < until - 1) {
      if (bytes(i) == '\r') return i
      i += 1
    }
    -1
  }

  private def number(bytes: Array[Byte], from: Int, until: Int): Option[Long] = {
    val text = new String(bytes, from, math.min(until - from, 21), UTF_8)
    if (until - from > 21 || text.startsWith("+")) None else text.toLongOption
  }
}
