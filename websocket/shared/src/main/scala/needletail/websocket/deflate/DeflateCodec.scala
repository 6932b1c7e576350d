package needletail.websocket.deflate

import java.util.zip.DataFormatException

import needletail.http.text.ByteWriter
import needletail.http.zlib.{Deflaters, Inflaters, RawDeflater, RawInflater}
import needletail.websocket.frame.{FrameReader, MessageCodec}

/**
 * The messages of one connection (RFC 7692 §7.2). What does not have to remember earlier messages is borrowed from the
 * thread: a compressor for a call, a decompressor until the message ends.
 *
 * Compressors have a window of 32 KiB. For a smaller one the message is compressed in parts of that size, each by
 * itself: what it refers to is then never further away.
 *
 * @param takeover whether messages of this side may refer to earlier ones
 * @param takeoverOfPeer whether the peer's may
 * @param windowBits of this side's window
 */
private[deflate] final class DeflateCodec(
    level: Int,
    minSize: Int,
    takeover: Boolean,
    takeoverOfPeer: Boolean,
    windowBits: Int
) extends MessageCodec {
  import DeflateCodec._

  private var deflater: RawDeflater = null // with context takeover only
  private var inflater: RawInflater = null // with context takeover, or within a message

  private var hasInput = false // in this message
  private var restarts = 0     // in this message

  /** The window that the peer's messages may refer to, the last `windowLength` bytes; null without context takeover. */
  private var window: Array[Byte] = null
  private var windowLength        = 0

  private var lastInput: Array[Byte] = null // the last input, of which the inflater has left the end
  private var inputUntil             = 0

  private var isClosed = false

  private def inflaterSize: Int = InflaterSize + (if (takeoverOfPeer) WindowSize else 0)

  def held: Int = (if (deflater == null) 0 else DeflaterSize) + (if (inflater == null) 0 else inflaterSize)

  def compress(payload: Array[Byte], memory: FrameReader.Memory): Array[Byte] =
    if (payload.length < minSize || isClosed) null
    else if (payload.length == 0) Array[Byte](0) // RFC 7692 §7.2.3.6
    else if (takeover && windowBits == 15) {
      if (deflater == null && memory.hold(DeflaterSize, held.toLong)) deflater = new RawDeflater(level)
      if (deflater == null) null else deflated(deflater, payload)
    } else {
      val borrowed = Deflaters.take(level)
      try deflated(borrowed, payload)
      finally Deflaters.give(borrowed)
    }

  private def deflated(deflater: RawDeflater, payload: Array[Byte]): Array[Byte] = {
    val part = if (windowBits == 15) payload.length else 1 << windowBits
    val out  = new ByteWriter(Math.max(64, Math.min(payload.length / 2, FirstRoom)))
    var at   = 0
    while (at < payload.length) {
      val count = Math.min(part, payload.length - at)
      if (at > 0) deflater.reset()
      deflater.setInput(payload, at, count)
      var n = 1
      while (n > 0) {
        out.ensure(64)
        n = deflater.deflate(out.bytes, out.length, out.bytes.length - out.length, flush = true)
        out.length += n
        if (out.length < out.bytes.length) n = 0 // there was room for all of it
      }
      at += count
    }
    deflater.setInput(Tail, 0, 0) // which keeps what it was given last, and no budget counts that
    if (out.length >= Tail.length) out.length -= Tail.length // the end of every flush (RFC 7692 §7.2.1)
    out.taken
  }

  def input(bytes: Array[Byte], from: Int, count: Int, memory: FrameReader.Memory): Boolean =
    count == 0 || (inflater != null || begin(memory)) && {
      inflater.setInput(bytes, from, count)
      hasInput = true
      lastInput = bytes
      inputUntil = from + count
      true
    }

  private def begin(memory: FrameReader.Memory): Boolean =
    !isClosed && memory.hold(inflaterSize, held.toLong) && {
      if (takeoverOfPeer) {
        window = new Array[Byte](WindowSize)
        inflater = new RawInflater
      } else inflater = Inflaters.take()
      true
    }

  def inputEnds(): Unit = if (!isWhole) {
    inflater.setInput(End, 0, End.length)
    lastInput = End
    inputUntil = End.length
  }

  /** Whether the input so far is nothing at all, or ends with the last block of a stream. */
  private def isWhole: Boolean = !hasInput || inflater.finished && inflater.remaining == 0

  def inflate(into: Array[Byte], from: Int, count: Int): Int =
    if (!hasInput) 0
    else
      try {
        var n = inflater.inflate(into, from, count)
        // the last block of a stream is allowed: another stream follows (RFC 7692 §7.2.3.4)
        while (n == 0 && inflater.finished && inflater.remaining > 0 && restarts < MostRestarts) {
          restart()
          n = inflater.inflate(into, from, count)
        }
        if (n > 0 && window != null) remember(into, from, n)
        if (restarts == MostRestarts) MessageCodec.Bad else n
      } catch { case _: DataFormatException => MessageCodec.Bad }

  def remaining: Int = if (inflater == null) 0 else inflater.remaining

  private def restart(): Unit = {
    val rest = inflater.remaining
    restarts += 1
    renew()
    inflater.setInput(lastInput, inputUntil - rest, rest)
  }

  /** Begins another stream, which may refer to earlier data if messages may. */
  private def renew(): Unit = {
    inflater.reset()
    if (windowLength > 0) inflater.setDictionary(window, WindowSize - windowLength, windowLength)
  }

  /** Keeps the last bytes of the peer's data, at the end of `window`. */
  private def remember(bytes: Array[Byte], from: Int, count: Int): Unit = {
    val fresh = Math.min(count, WindowSize)
    System.arraycopy(window, fresh, window, 0, WindowSize - fresh)
    System.arraycopy(bytes, from + count - fresh, window, WindowSize - fresh, fresh)
    windowLength = Math.min(windowLength + fresh, WindowSize)
  }

  def messageEnds(memory: FrameReader.Memory): Boolean = {
    val whole = isWhole
    lastInput = null
    restarts = 0
    if (hasInput)
      if (takeoverOfPeer) renew()
      else {
        Inflaters.give(inflater)
        inflater = null
        memory.release(inflaterSize)
      }
    hasInput = false
    whole
  }

  def relieve(memory: FrameReader.Memory): Unit = if (deflater != null) {
    deflater.end()
    deflater = null
    memory.release(DeflaterSize)
  }

  def close(memory: FrameReader.Memory): Unit = {
    isClosed = true
    relieve(memory)
    if (inflater != null) {
      inflater.end()
      inflater = null
      memory.release(inflaterSize)
    }
    window = null
    lastInput = null
    hasInput = false
  }
}

private[deflate] object DeflateCodec {
  private val Tail = Array[Byte](0, 0, -1, -1)

  /** `Tail` and an empty last block: a message that was cut off in a block does not end with it. */
  private val End = Tail ++ Array[Byte](3, 0)

  /** For a compressed message; more where it needs more: some become a thousandth of what they were. */
  private final val FirstRoom = 16 * 1024

  private final val WindowSize = 32 * 1024

  /** What zlib allocates. */
  private final val DeflaterSize = 264 * 1024
  private final val InflaterSize = 40 * 1024

  /** Last blocks within one message; an honest peer has one. */
  private final val MostRestarts = 64
}
