package needletail.content.compression

import scala.scalanative.unsafe._

/** Brotli (RFC 7932) and Zstandard (RFC 8878), by the system's libraries. */
private[compression] final class LibraryEncoder private (kind: Int, level: Int, size: Int) extends Encoder {
  import LibraryEncoder._
  private val encoder = CodingFunctions.open(kind, level, Encoder.Window, size.toLong)
  if (encoder == null) throw new OutOfMemoryError("a library for compression")

  private var input: Array[Byte] = nothing
  private var from, until        = 0
  private var isLast             = false

  def take(bytes: Array[Byte], from: Int, length: Int): Unit = {
    input = if (length == 0) nothing else bytes
    this.from = if (length == 0) 0 else from
    until = this.from + length
  }

  def encode(out: Array[Byte], at: Int, room: Int, flush: Boolean): Int =
    if (room == 0) 0
    else {
      val used  = stackalloc[CInt]()
      val how   = if (isLast) 2 else if (flush) 1 else 0
      val place = if (from < until) input.at(from) else nothing.at(0)
      !used = 0
      val count = CodingFunctions.encode(encoder, place, until - from, used, out.at(at), room, how)
      if (count < 0) throw new IllegalStateException("a library for compression failed")
      from += !used
      count
    }

  def finish(): Unit      = isLast = true
  def isFinished: Boolean = CodingFunctions.finished(encoder) != 0

  def close(): Unit = give(this)

  private def isFor(level: Int): Boolean = this.level == level
  private def isKept: Boolean            = kind == Zstd

  private def begin(size: Int): Boolean = {
    isLast = false
    take(nothing, 0, 0)
    CodingFunctions.reset(encoder, size.toLong) != 0
  }
}

private[compression] object LibraryEncoder {
  final val Brotli = 0
  final val Zstd   = 1

  private final val Most = 4 // kept for each thread

  private val nothing = new Array[Byte](1)

  private val kept = ThreadLocal.withInitial[java.util.ArrayDeque[LibraryEncoder]](() =>
    new java.util.ArrayDeque[LibraryEncoder](Most)
  )

  /** One of those that were closed on this thread, if the library can use it again. */
  def take(kind: Int, level: Int, size: Int): LibraryEncoder = {
    val last = if (kind == Zstd) kept.get.pollLast() else null
    if (last != null && last.isFor(level) && last.begin(size)) last
    else {
      if (last != null) CodingFunctions.close(last.encoder)
      new LibraryEncoder(kind, level, size)
    }
  }

  private def give(encoder: LibraryEncoder): Unit =
    if (encoder.isKept && kept.get.size < Most) { kept.get.addLast(encoder); () }
    else CodingFunctions.close(encoder.encoder)
}
