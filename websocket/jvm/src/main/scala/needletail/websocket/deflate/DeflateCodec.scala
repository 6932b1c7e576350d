package needletail.websocket.deflate

import java.util.zip.{DataFormatException, Deflater, Inflater}

import needletail.http.text.ByteWriter
import needletail.websocket.frame.MessageCodec

/**
 * The messages of one connection (RFC 7692 §7.2). Without context takeover it borrows compressors from its thread while
 * it needs them.
 *
 * `Deflater` always has a window of 32 KiB. For a smaller one the message is compressed in parts of that size, each by
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

  private var deflater: Deflater = null // with context takeover only
  private var inflater: Inflater = null // with context takeover, or within a message

  private var hasInput = false // in this message
  private var restarts = 0     // in this message

  /** What the peer's messages may refer to, the last `windowLength` bytes; null without context takeover. */
  private var window: Array[Byte] = null
  private var windowLength        = 0

  private var lastInput: Array[Byte] = null // the last input, of which the inflater has left the end
  private var inputUntil             = 0

  def compress(payload: Array[Byte]): Array[Byte] =
    if (payload.length < minSize) null
    else if (payload.length == 0) Array[Byte](0) // RFC 7692 §7.2.3.6
    else if (takeover && windowBits == 15) {
      if (deflater == null) deflater = new Deflater(level, true)
      deflated(deflater, payload)
    } else {
      val spare    = spares.get
      val borrowed = spare.takeDeflater(level)
      try deflated(borrowed, payload)
      finally spare.give(level, borrowed)
    }

  private def deflated(deflater: Deflater, payload: Array[Byte]): Array[Byte] = {
    val part = if (windowBits == 15) payload.length else 1 << windowBits
    val out  = new ByteWriter(Math.max(64, payload.length / 2))
    var at   = 0
    while (at < payload.length) {
      val count = Math.min(part, payload.length - at)
      if (at > 0) deflater.reset()
      deflater.setInput(payload, at, count)
      var n = 1
      while (n > 0) {
        out.ensure(64)
        n = deflater.deflate(out.bytes, out.length, out.bytes.length - out.length, Deflater.SYNC_FLUSH)
        out.length += n
        if (out.length < out.bytes.length) n = 0 // there was room for all of it
      }
      at += count
    }
    if (out.length >= Tail.length) out.length -= Tail.length // the end of every flush (RFC 7692 §7.2.1)
    out.taken
  }

  def input(bytes: Array[Byte], from: Int, count: Int): Unit = if (count > 0) {
    if (inflater == null) {
      inflater = if (takeoverOfPeer) new Inflater(true) else spares.get.takeInflater()
      if (takeoverOfPeer) window = new Array[Byte](WindowSize)
    }
    inflater.setInput(bytes, from, count)
    hasInput = true
    lastInput = bytes
    inputUntil = from + count
  }

  def inputEnds(): Unit = if (!isWhole) input(End, 0, End.length)

  /** Whether the input so far is nothing at all, or ends with the last block of a stream. */
  private def isWhole: Boolean = !hasInput || inflater.finished && inflater.getRemaining == 0

  def inflate(into: Array[Byte], from: Int, count: Int): Int =
    if (!hasInput) 0
    else
      try {
        var n = inflater.inflate(into, from, count)
        // the last block of a stream is allowed: another stream follows (RFC 7692 §7.2.3.4)
        while (n == 0 && inflater.finished && inflater.getRemaining > 0 && restarts < MostRestarts) {
          restart()
          n = inflater.inflate(into, from, count)
        }
        if (n > 0 && window != null) remember(into, from, n)
        if (inflater.needsDictionary || restarts == MostRestarts) MessageCodec.Bad else n
      } catch { case _: DataFormatException => MessageCodec.Bad }

  private def restart(): Unit = {
    val rest = inflater.getRemaining
    restarts += 1
    renew()
    inflater.setInput(lastInput, inputUntil - rest, rest)
  }

  /** Begins another stream, which may refer to what came before if messages may. */
  private def renew(): Unit = {
    inflater.reset()
    if (windowLength > 0) inflater.setDictionary(window, WindowSize - windowLength, windowLength)
  }

  /** Keeps the last bytes of what the peer has sent, at the end of `window`. */
  private def remember(bytes: Array[Byte], from: Int, count: Int): Unit = {
    val fresh = Math.min(count, WindowSize)
    System.arraycopy(window, fresh, window, 0, WindowSize - fresh)
    System.arraycopy(bytes, from + count - fresh, window, WindowSize - fresh, fresh)
    windowLength = Math.min(windowLength + fresh, WindowSize)
  }

  def messageEnds(): Boolean = {
    val whole = isWhole
    lastInput = null
    restarts = 0
    if (hasInput)
      if (takeoverOfPeer) renew()
      else {
        spares.get.give(inflater)
        inflater = null
      }
    hasInput = false
    whole
  }

  def close(): Unit = {
    if (deflater != null) deflater.end()
    deflater = null
    if (inflater != null) inflater.end()
    inflater = null
    hasInput = false
  }
}

private[deflate] object DeflateCodec {
  private val Tail = Array[Byte](0, 0, -1, -1)

  /** `Tail` and an empty last block: a message that was cut off in a block does not end with it. */
  private val End = Tail ++ Array[Byte](3, 0)

  private final val WindowSize = 32 * 1024

  /** Last blocks within one message; an honest peer has one. */
  private final val MostRestarts = 64

  /** Compressors of one thread that nothing uses now. */
  private final class Spares {
    private val deflaters = new Array[Deflater](10) // by level
    private var inflaters = List.empty[Inflater]

    def takeDeflater(level: Int): Deflater = {
      val spare = deflaters(level)
      deflaters(level) = null
      if (spare == null) new Deflater(level, true) else spare
    }

    def give(level: Int, deflater: Deflater): Unit = {
      deflater.reset()
      if (deflaters(level) == null) deflaters(level) = deflater else deflater.end()
    }

    def takeInflater(): Inflater =
      if (inflaters.isEmpty) new Inflater(true)
      else {
        val spare = inflaters.head
        inflaters = inflaters.tail
        spare
      }

    def give(inflater: Inflater): Unit = {
      inflater.reset()
      if (inflaters.size < MostSpare) inflaters = inflater :: inflaters else inflater.end()
    }
  }

  private final val MostSpare = 4

  private val spares = new ThreadLocal[Spares] {
    override def initialValue(): Spares = new Spares
  }
}
