package needletail.examples.redis

import java.nio.charset.StandardCharsets.UTF_8

/** A value of Redis' protocol, RESP2 or RESP3. */
sealed abstract class RespValue

object RespValue {

  /** A short text, such as OK. */
  final case class Simple(text: String) extends RespValue

  /** An error: its message begins with its code, such as WRONGTYPE. */
  final case class Failed(message: String) extends RespValue

  final case class Number(value: Long) extends RespValue

  /** Bytes. The array is the receiver's own. */
  final case class Bulk(bytes: Array[Byte]) extends RespValue {
    def text: String              = new String(bytes, UTF_8)
    override def toString: String = s"Bulk(${bytes.length} bytes)"
  }

  /** Null of either version: of RESP2 there are two. */
  case object Null extends RespValue

  final case class Items(values: Vector[RespValue]) extends RespValue

  // RESP3 only

  final case class Bool(value: Boolean) extends RespValue

  /** A double or a big number, as it was written. */
  final case class Decimal(text: String) extends RespValue

  /** Text in a format, `txt` or `mkd`. */
  final case class Verbatim(format: String, bytes: Array[Byte]) extends RespValue

  final case class Fields(values: Vector[(RespValue, RespValue)]) extends RespValue

  final case class Distinct(values: Vector[RespValue]) extends RespValue

  /** A push message; the first value is a text with its kind. */
  final case class Push(values: Vector[RespValue]) extends RespValue

  /** The text of a value that is one. */
  object Text {
    def unapply(value: RespValue): Option[String] = value match {
      case bulk: Bulk         => Some(bulk.text)
      case Simple(text)       => Some(text)
      case Verbatim(_, bytes) => Some(new String(bytes, UTF_8))
      case _                  => None
    }
  }
}
