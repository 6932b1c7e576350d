package needletail.websocket.frame

/**
 * How messages of WebSockets are compressed, an extension that both sides have to agree on.
 */
abstract class Compression private[needletail] () {

  /** A client's Sec-WebSocket-Extensions. */
  private[needletail] def offer: String

  /** A server's answer to a client's Sec-WebSocket-Extensions; null if it accepts none. */
  private[needletail] def accept(offers: String): Compression.Agreement

  /** The client's interpretation of the answer; null if the answer is not allowed. */
  private[needletail] def agreed(answer: String): Compression.Agreement
}

object Compression {

  /**
   * @param answer the server's Sec-WebSocket-Extensions
   * @param codec creates the codec of one connection
   */
  private[needletail] final class Agreement(val answer: String, val codec: () => MessageCodec)
}

/**
 * Compresses and decompresses the messages of one connection. What it holds besides what threads share is counted in the
 * memory that it is called with.
 */
private[needletail] abstract class MessageCodec {

  /** The compressed payload of a message; null if it is to be sent uncompressed. */
  def compress(payload: Array[Byte], memory: FrameReader.Memory): Array[Byte]

  /**
   * Continues decompressing a message with these bytes, which must stay until `inflate` has used them. Returns false if
   * there is no memory for it.
   */
  def input(bytes: Array[Byte], from: Int, count: Int, memory: FrameReader.Memory): Boolean

  /** All bytes of the message have been passed to `input`, and used. */
  def inputEnds(): Unit

  /** Decompresses at most `count` bytes. Returns how many, 0 if more input is needed, or `MessageCodec.Bad`. */
  def inflate(into: Array[Byte], from: Int, count: Int): Int

  /** Bytes of the input that `inflate` has not used. They may be passed to `input` again. */
  def remaining: Int

  /** The message is over. Returns whether its data were complete. */
  def messageEnds(memory: FrameReader.Memory): Boolean

  /** Bytes held between calls, as counted. */
  def held: Int

  /** Memory is short: releases state that the peer does not need. */
  def relieve(memory: FrameReader.Memory): Unit

  /** Releases everything. Nothing is compressed or decompressed any more; more calls have no effect. */
  def close(memory: FrameReader.Memory): Unit
}

private[needletail] object MessageCodec {

  /** The input is not compressed data. */
  final val Bad = -1
}
