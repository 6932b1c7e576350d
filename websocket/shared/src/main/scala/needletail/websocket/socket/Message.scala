package needletail.websocket.socket

import needletail.http.text.Utf8Text

/** A message: text or binary. Its array must not change. */
final class Message private (val isText: Boolean, val bytes: Array[Byte]) {

  /** The content as text: decoded by each call. */
  def text: String = Utf8Text.decode(bytes)

  override def equals(other: Any): Boolean = other match {
    case m: Message => m.isText == isText && java.util.Arrays.equals(m.bytes, bytes)
    case _          => false
  }
  override def hashCode: Int    = java.util.Arrays.hashCode(bytes)
  override def toString: String = if (isText) s"Text($text)" else s"Binary(${bytes.length} bytes)"
}

object Message {

  /** From bytes that are known to be UTF-8 if it is text. */
  private[needletail] def of(isText: Boolean, bytes: Array[Byte]): Message = new Message(isText, bytes)

  /** Text messages. */
  object Text {

    /** A text message; unpaired surrogates are replaced. */
    def apply(text: String): Message = new Message(true, Utf8Text.encode(text))

    /** The text of a text message. */
    def unapply(message: Message): Option[String] = if (message.isText) Some(message.text) else None
  }

  /** Binary messages. */
  object Binary {

    /** The array must not change afterwards. */
    def apply(bytes: Array[Byte]): Message = new Message(false, bytes)

    /** The bytes of a binary message, which must not change. */
    def unapply(message: Message): Option[Array[Byte]] = if (message.isText) None else Some(message.bytes)
  }
}
