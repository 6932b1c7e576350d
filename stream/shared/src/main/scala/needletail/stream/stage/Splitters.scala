package needletail.stream.stage

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

import needletail.async.Survivable

/**
 * A stage that finds several elements in one piece, or needs several pieces for one. While it waits for a piece it keeps
 * none, only what belongs to an element that is not complete.
 *
 * @param room called with the number of bytes that are to be kept in addition; null permits them, anything else is the
 *     failure of the stream
 */
private[stream] abstract class Splitter[A](
    up: Pull[Array[Byte]],
    what: String,
    longest: Int,
    room: Int => Throwable = Splitter.anyRoom
) extends Stage[Array[Byte], A](up) {
  protected var piece: Array[Byte] = Splitter.none
  protected var at                 = 0 // the first byte of `piece` that was not consumed

  // bytes of the element that is not complete
  private var rest   = Splitter.none
  private var length = 0
  private var asked  = 0 // the most bytes for which there was room

  /** The next element in the current piece, or `Pull.Again` when it is consumed. */
  protected def split(): AnyRef

  override private[needletail] def advance(): AnyRef =
    if (at == piece.length) super.advance()
    else {
      val x =
        try fromPiece()
        catch { case Survivable(e) => fail(e) }
      if (x eq Pull.Again) super.advance() else x
    }

  protected def step(element: Array[Byte]): AnyRef = {
    piece = element
    at = 0
    fromPiece()
  }

  private def fromPiece(): AnyRef = {
    var isUsed = true
    try {
      val x = split()
      isUsed = at == piece.length
      x
    } finally if (isUsed) release() // also where it fails
  }

  override def cancel(): Unit = {
    super.cancel()
    release()
  }

  private def release(): Unit = {
    piece = Splitter.none
    at = 0
  }

  /** The memory that it keeps, in bytes. */
  private[stage] def kept: Int = piece.length + rest.length

  final protected def held: Int = length

  /** Keeps the bytes up to `end`, and consumes them. */
  final protected def hold(end: Int): Unit = {
    val more = end - at
    if (rest.length - length < more) {
      val size = math.max(length + more, math.min(2 * rest.length, longest))
      if (size > asked) {
        val refusal = room(size - asked)
        if (refusal ne null) throw refusal
        asked = size
      }
      rest = Arrays.copyOf(rest, size)
    }
    System.arraycopy(piece, at, rest, length, more)
    length += more
    at = end
  }

  final protected def heldByte(index: Int): Byte = rest(index)

  /** The first `count` of the bytes that were kept, which are dropped. */
  final protected def takeHeld(count: Int): Array[Byte] = {
    val taken = if (count == rest.length) rest else Arrays.copyOf(rest, count)
    if (taken eq rest) rest = Splitter.none
    length = 0
    taken
  }

  final protected def takeHeldText(count: Int): String = {
    val text = new String(rest, 0, count, UTF_8)
    length = 0
    if (rest.length > Splitter.LargestKept) rest = Splitter.none
    text
  }

  final protected def check(size: Long): Unit =
    if (size > longest) throw new FrameError.TooLong(s"a $what is longer than $longest bytes", longest)
}

private[stream] object Splitter {
  val none                      = new Array[Byte](0)
  val anyRoom: Int => Throwable = _ => null
  final val LargestKept         = 4096
}

/** Lines in UTF-8, without the `\n` or `\r\n` at their end. */
private[stream] final class Lines(
    up: Pull[Array[Byte]],
    longest: Int,
    room: Int => Throwable = Splitter.anyRoom
) extends Splitter[String](up, "line", longest, room) {

  protected def split(): AnyRef = {
    val bytes = piece
    var end   = at
    while (end < bytes.length && bytes(end) != '\n') end += 1
    if (end < bytes.length) {
      val line =
        if (held == 0) {
          val length = withoutReturn(end - at, if (end > at) bytes(end - 1) else 0)
          check(length.toLong)
          new String(bytes, at, length, UTF_8)
        } else {
          // one more than a line may have can be the \r
          check(held.toLong + end - at - 1)
          hold(end)
          val length = withoutReturn(held, heldByte(held - 1))
          check(length.toLong)
          takeHeldText(length)
        }
      at = end + 1
      line
    } else {
      check(held.toLong + end - at - 1)
      hold(end)
      Pull.Again
    }
  }

  private def withoutReturn(length: Int, last: Byte): Int =
    if (length > 0 && last == '\r') length - 1 else length

  override protected def atEnd(): AnyRef =
    if (held == 0) Pull.End
    else {
      check(held.toLong)
      takeHeldText(held)
    }
}

/** Frames that end with `delimiter`, found with Knuth, Morris and Pratt's method in time that is linear in all bytes. */
private[stream] final class DelimitedFrames(up: Pull[Array[Byte]], delimiter: Array[Byte], longest: Int)
    extends Splitter[Array[Byte]](up, "frame", longest) {
  private val back    = DelimitedFrames.borders(delimiter)
  private var matched = 0

  protected def split(): AnyRef = {
    val bytes = piece
    var end   = at
    while (end < bytes.length && matched < delimiter.length) {
      val byte = bytes(end)
      while (matched > 0 && delimiter(matched) != byte) matched = back(matched - 1)
      if (delimiter(matched) == byte) matched += 1
      end += 1
    }
    val length = held.toLong + end - at - matched
    check(length)
    if (matched < delimiter.length) {
      hold(end)
      Pull.Again
    } else {
      matched = 0
      if (held == 0) {
        val frame = Arrays.copyOfRange(bytes, at, at + length.toInt)
        at = end
        frame
      } else {
        hold(end)
        takeHeld(length.toInt)
      }
    }
  }

  override protected def atEnd(): AnyRef =
    if (held == 0) Pull.End
    else {
      check(held.toLong)
      takeHeld(held)
    }
}

private[stream] object DelimitedFrames {

  /** For each beginning of `pattern`, the length of its longest other beginning that it also ends with. */
  def borders(pattern: Array[Byte]): Array[Int] = {
    val lengths = new Array[Int](pattern.length)
    var length  = 0
    var index   = 1
    while (index < pattern.length) {
      while (length > 0 && pattern(index) != pattern(length)) length = lengths(length - 1)
      if (pattern(index) == pattern(length)) length += 1
      lengths(index) = length
      index += 1
    }
    lengths
  }
}

/** Frames that begin with their length, an unsigned big-endian number of `prefix` bytes. */
private[stream] final class PrefixedFrames(up: Pull[Array[Byte]], prefix: Int, longest: Int)
    extends Splitter[Array[Byte]](up, "frame", longest) {
  private var size      = 0L
  private var sizeBytes = 0 // of the prefix, that have been read

  protected def split(): AnyRef = {
    while (sizeBytes < prefix && at < piece.length) {
      size = size << 8 | piece(at) & 0xff
      sizeBytes += 1
      at += 1
    }
    if (sizeBytes < prefix) Pull.Again
    else {
      check(size)
      val needed = size.toInt - held
      if (piece.length - at < needed) {
        hold(piece.length)
        Pull.Again
      } else {
        val frame =
          if (held == 0) {
            val whole = Arrays.copyOfRange(piece, at, at + needed)
            at += needed
            whole
          } else {
            hold(at + needed)
            takeHeld(size.toInt)
          }
        size = 0
        sizeBytes = 0
        frame
      }
    }
  }

  override protected def atEnd(): AnyRef =
    if (sizeBytes == 0) Pull.End
    else
      throw new FrameError.Incomplete(
        if (sizeBytes < prefix) "the stream ends within the length of a frame"
        else s"the stream ends within a frame: $held of $size bytes have come"
      )
}
