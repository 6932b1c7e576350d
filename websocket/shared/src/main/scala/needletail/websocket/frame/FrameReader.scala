package needletail.websocket.frame

import needletail.http.text.Swar

/**
 * Finds messages in the bytes of one connection (RFC 6455 §5), without I/O: `open` gives it a window of bytes, `next`
 * the next item in it, `close` returns how far it has been consumed. Anything that the protocol forbids is found as early as
 * its bytes are there, and nothing is read after it.
 *
 * Frame headers and control frames stay in the window until they are complete, at most 139 bytes. Payload is taken out
 * of it as it arrives.
 *
 * @param isServer whether frames have to be masked; otherwise they must not be
 * @param maxMessage bytes of a message; beyond: 1009
 * @param maxFrame bytes of a frame; beyond: 1009
 * @param memory counts the bytes that an incomplete message holds
 * @param codec decompresses messages; null if no extension was agreed on
 */
private[needletail] final class FrameReader(
    isServer: Boolean,
    maxMessage: Int,
    maxFrame: Long,
    memory: FrameReader.Memory,
    codec: MessageCodec = null
) {
  import FrameReader._

  private var bytes: Array[Byte] = null
  private var position: Int      = 0
  private var limit: Int         = 0

  // the frame whose payload is being read; `left` is negative between frames
  private var left: Long   = -1
  private var done: Long   = 0
  private var key: Int     = 0
  private var isFinal      = false
  private var headLength   = 0
  private var frameOpcode  = 0
  private var frameLength  = 0L
  private var isMasked     = false
  private var isInMessage  = false
  private var utf8         = 0
  private var isCompressed = false

  // of the first two bytes of a message's only frame: its bits, and whether it is masked; and the largest such message
  private val usualForm  = if (isServer) 0x8080 else 0x80
  private val mostAtOnce = Math.min(maxMessage.toLong, maxFrame).toInt

  private val content = new MessageBuffer(maxMessage, memory) // of the message so far

  // what `next` has found

  /** Whether the message is text; already checked to be UTF-8. */
  var isText: Boolean = false

  /** The content of the message or the control frame, in an array for the caller. */
  var data: Array[Byte] = none

  /** The code of the peer's close frame, 1005 if it has none; or the one to close with, if the peer broke the rules. */
  var code: Int = 0

  /** The reason in the peer's close frame, or which rule it broke. */
  var reason: String = ""

  /**
   * Whether the last `next` has ended before the window did, as it has decompressed `Turn` bytes of one message: little
   * input may contain much. The rest is to be opened again in another turn.
   */
  var isSpent: Boolean = false

  private var inflated = 0 // bytes, since `open`

  /** Bytes that it and its codec hold. */
  def held: Int = content.held + (if (codec == null) 0 else codec.held)

  def open(bytes: Array[Byte], from: Int, until: Int): Unit = {
    this.bytes = bytes
    position = from
    limit = until
    inflated = 0
    isSpent = false
  }

  /**
   * The index up to which the bytes have been used. A message that was found is not kept while the peer is silent; what
   * a close frame says is, as it may be answered later.
   */
  def close(): Int = {
    bytes = null
    if (data.length > MaxControl) data = none
    position
  }

  /** Releases everything: nothing is read any more. */
  def end(): Unit = {
    content.drop()
    if (codec != null) codec.close(memory)
  }

  /** The next item in the window: one of the constants below. */
  def next(): Int = {
    val found = if (left < 0 && !isInMessage) usual() else Nothing
    if (found != Nothing) found else general()
  }

  @noinline private def general(): Int = {
    var found = Nothing
    while (found == Nothing)
      found =
        if (left >= 0) payload()
        else {
          val problem = head()
          if (problem != Nothing) problem
          else if (frameOpcode >= Opcode.Control) control()
          else begin()
        }
    found
  }

  /**
   * A message that is there as a whole, in one frame with a short header: the usual case, told by the first eight bytes.
   * Returns `Nothing`, with nothing used, for any other and for whatever may be wrong: the rules below decide.
   */
  @inline private def usual(): Int = {
    val available  = limit - position
    val word       = if (available < 8) 0L else Swar.load(bytes, position)
    val opcode     = word.toInt & 0x80ff ^ usualForm // if its other bits are as usual
    val short      = (word.toInt >>> 8) & 0x7f
    val isExtended = short == 126
    val length     = if (isExtended) (word >>> 8).toInt & 0xff00 | (word >>> 24).toInt & 0xff else short
    val head       = (if (isExtended) 4 else 2) + (if (isServer) 4 else 0)
    if (
      opcode != Opcode.Binary && opcode != Opcode.Text || short > 126 ||
      isExtended && length < 126 || length > available - head || length > mostAtOnce
    ) Nothing
    else {
      position += head
      isText = opcode == Opcode.Text
      whole(length, if (!isServer) 0 else (if (isExtended) word >>> 32 else word >>> 16).toInt)
    }
  }

  // headers

  /** Reads a header without using it up. Returns `Nothing` if it is complete and allowed. */
  private def head(): Int = {
    val available = limit - position
    if (available < 2) More
    else {
      val first  = bytes(position) & 0xff
      val second = bytes(position + 1) & 0xff
      val short  = second & 0x7f
      frameOpcode = first & 0x0f
      isMasked = (second & 0x80) != 0
      val extended = if (short < 126) 0 else if (short == 126) 2 else 8
      headLength = 2 + extended + (if (isMasked) 4 else 0)
      val problem = forbidden(first, short)
      if (problem != null) wrong(CloseCode.ProtocolError, problem)
      else if (extended > 0 && available < 2 + extended) More
      else {
        frameLength = if (extended == 0) short.toLong else number(position + 2, extended)
        if (extended > 0 && (frameLength < 0 || frameLength < (if (extended == 2) 126 else 65536)))
          wrong(CloseCode.ProtocolError, "a frame's length is not in its shortest form")
        else if (isTooLarge(first))
          wrong(CloseCode.MessageTooBig, s"the message is larger than $maxMessage bytes")
        else if (frameLength > maxFrame)
          wrong(CloseCode.MessageTooBig, s"the frame is larger than $maxFrame bytes")
        else if (available < headLength) More
        else Nothing
      }
    }
  }

  private def isTooLarge(first: Int): Boolean = {
    val packed = if (frameOpcode == Opcode.Continuation) isCompressed else (first & 0x40) != 0
    val most   = maxMessage.toLong - content.length + (if (packed) Slack else 0) // what compressing may add
    frameOpcode < Opcode.Control && frameLength > most
  }

  /** The error in a header's first two bytes; null if they are valid. */
  private def forbidden(first: Int, short: Int): String =
    if ((first & 0x30) != 0 || (first & 0x40) != 0 && !mayCompress) "reserved bits are set"
    else if (!Opcode.isKnown(frameOpcode)) "the opcode is reserved"
    else if (isMasked != isServer) if (isServer) "a frame is not masked" else "a frame is masked"
    else if (frameOpcode >= Opcode.Control)
      if ((first & 0x80) == 0) "a control frame is fragmented"
      else if (short > MaxControl) "a control frame is longer than 125 bytes"
      else null
    else if (frameOpcode == Opcode.Continuation)
      if (isInMessage) null else "there is no message to continue"
    else if (isInMessage) "a message begins before the last one has ended"
    else null

  /** Only the first frame of a message says that it is compressed (RFC 7692 §6). */
  private def mayCompress: Boolean =
    codec != null && (frameOpcode == Opcode.Text || frameOpcode == Opcode.Binary)

  /** Reads an unsigned number of two or eight bytes; negative if it exceeds 63 bits. */
  private def number(at: Int, size: Int): Long =
    if (size == 2) ((bytes(at) & 0xff) << 8 | (bytes(at + 1) & 0xff)).toLong
    else java.lang.Long.reverseBytes(Swar.load(bytes, at))

  /** Uses up the header. */
  private def skipHead(): Unit = {
    isFinal = (bytes(position) & 0x80) != 0
    key = if (isMasked) Swar.load(bytes, position + headLength - 4, 4).toInt else 0
    position += headLength
  }

  // control frames

  private def control(): Int =
    if (limit - position < headLength + frameLength.toInt) More
    else {
      skipHead()
      data = taken(frameLength.toInt, key)
      frameOpcode match {
        case Opcode.Ping => Ping
        case Opcode.Pong => Pong
        case _           => closeFrame()
      }
    }

  private def closeFrame(): Int = {
    reason = ""
    code = CloseCode.NoStatus
    if (data.length == 0) Close
    else if (data.length == 1) wrong(CloseCode.ProtocolError, "a close frame has half a code")
    else {
      code = (data(0) & 0xff) << 8 | (data(1) & 0xff)
      if (!CloseCode.isAllowed(code)) wrong(CloseCode.ProtocolError, s"$code is no code to close with")
      else if (Utf8.check(0, data, 2, data.length) != 0)
        wrong(CloseCode.InvalidPayload, "the reason of a close frame is not UTF-8")
      else {
        reason = new String(data, 2, data.length - 2, java.nio.charset.StandardCharsets.UTF_8)
        Close
      }
    }
  }

  /** Takes the next `count` bytes, which are there, unmasked. */
  @inline private def taken(count: Int, key: Int): Array[Byte] =
    if (count == 0) none
    else {
      val array = Masking.copyOf(bytes, position, count, key)
      position += count
      array
    }

  // messages

  private def begin(): Int = {
    if (frameOpcode != Opcode.Continuation) isCompressed = (bytes(position) & 0x40) != 0
    skipHead()
    if (frameOpcode != Opcode.Continuation) {
      isText = frameOpcode == Opcode.Text
      utf8 = 0
      if (isFinal && !isCompressed && frameLength <= limit - position) whole(frameLength.toInt, key)
      else {
        isInMessage = true
        left = frameLength
        done = 0
        Nothing
      }
    } else {
      left = frameLength
      done = 0
      Nothing
    }
  }

  /** A message of one frame whose payload, of `length` bytes, is there. */
  @inline private def whole(length: Int, key: Int): Int = {
    data = taken(length, key)
    if (isText) checked() else Message
  }

  @noinline private def checked(): Int =
    if (Utf8.check(0, data, 0, data.length) != 0) notUtf8() else Message

  private def payload(): Int = {
    val count = Math.min(left, (limit - position).toLong).toInt
    if (count == 0 && left > 0) More
    else if (isCompressed) compressed(count)
    else {
      var rest = count
      while (rest > 0) {
        if (!content.makeRoom(rest, left, isFinal)) return noMemory()
        val n = Math.min(rest, content.free)
        Masking.copy(bytes, position, content.piece, content.filled, n, Masking.rotated(key, done))
        added(n)
        used(n)
        rest -= n
      }
      if (utf8 == Utf8.Bad) notUtf8() else if (left > 0) More else frameEnds()
    }
  }

  private def frameEnds(): Int = {
    left = -1
    if (isFinal) ended() else Nothing
  }

  private def compressed(count: Int): Int = {
    Masking.copy(bytes, position, bytes, position, count, Masking.rotated(key, done))
    if (codec.input(bytes, position, count, memory)) decompressed(count) else noMemory()
  }

  private def decompressed(count: Int): Int = {
    used(count)
    var problem = inflate()
    if (problem == Nothing && isSpent) {
      giveBack(codec.remaining)
      problem = More
    } else if (problem == Nothing && left == 0) {
      left = -1
      if (isFinal) {
        codec.inputEnds()
        problem = inflate()
        if (problem == Nothing) problem = if (codec.messageEnds(memory)) ended() else notCompressed()
      }
    } else if (problem == Nothing) problem = More
    problem
  }

  /** The last `count` bytes of input, which have been unmasked, are to be read again. */
  private def giveBack(count: Int): Unit = {
    used(-count)
    Masking.copy(bytes, position, bytes, position, count, Masking.rotated(key, done))
  }

  /** Takes the decompressed data, whose size is limited while it grows, for as long as the turn allows. */
  private def inflate(): Int = {
    var n = 1
    while (n > 0 && !isSpent)
      if (!content.makeSomeRoom()) return noMemory()
      else if (content.isFull) {
        n = codec.inflate(one, 0, 1)
        if (n > 0) return wrong(CloseCode.MessageTooBig, s"the message is larger than $maxMessage bytes")
      } else {
        n = codec.inflate(content.piece, content.filled, content.free)
        if (n > 0) {
          added(n)
          if (utf8 == Utf8.Bad) return notUtf8()
          inflated += n
          isSpent = inflated >= Turn && codec.remaining > 0
        }
      }
    if (n < 0) notCompressed() else Nothing
  }

  /** The next `count` bytes of the content are there. */
  private def added(count: Int): Unit = {
    if (isText) utf8 = Utf8.check(utf8, content.piece, content.filled, content.filled + count)
    content.filled += count
  }

  private def notCompressed(): Int = wrong(CloseCode.InvalidPayload, "the message is not compressed data")

  private def used(count: Int): Unit = {
    position += count
    done += count
    left -= count
  }

  private def ended(): Int = {
    isInMessage = false
    if (utf8 != 0) notUtf8()
    else {
      val array = content.take()
      if (array == null) noMemory()
      else {
        data = array
        Message
      }
    }
  }

  private def notUtf8(): Int  = wrong(CloseCode.InvalidPayload, "a text is not UTF-8")
  private def noMemory(): Int = wrong(CloseCode.TryAgainLater, "there is no memory for the message")

  private def wrong(code: Int, reason: String): Int = {
    this.code = code
    this.reason = reason
    Failed
  }
}

private[needletail] object FrameReader {

  /** Counts bytes held for the peer. */
  trait Memory {

    /** Counts `more` bytes besides `already`; false if there is no room for them. */
    def hold(more: Int, already: Long): Boolean
    def release(bytes: Int): Unit
  }

  /** Bytes of messages after which what else has been read should wait for another turn of its event loop. */
  final val Turn = 256 * 1024

  // what `next` finds

  /** Nothing more in this window, or in this turn. */
  final val More = 0

  /** A message: `data` and `isText`. */
  final val Message = 1

  /** A ping or pong: `data`. */
  final val Ping = 2
  final val Pong = 3

  /** The peer closes: `code` and `reason`. Nothing may follow. */
  final val Close = 4

  /** The peer broke a rule, or a limit: `code` and `reason`. Nothing after it can be read. */
  final val Failed = 5

  private final val Nothing    = -1
  private final val MaxControl = 125

  /** By how many bytes the compressed form of a message may be longer. */
  private final val Slack = 1024 * 1024

  private val one  = new Array[Byte](1)
  private val none = new Array[Byte](0)
}
