package needletail.content.compression

import java.util.zip.{CRC32, DataFormatException, Inflater}

import needletail.http.zlib.Coders

/** gzip (RFC 1952), also of several members, and zlib (RFC 1950), which HTTP calls deflate. */
private[compression] final class InflatingDecoder(
    isGzip: Boolean,
    newInflater: Boolean => Inflater = new Inflater(_)
) extends PiecewiseDecoder {
  import InflatingDecoder._
  private val inflater = newInflater(isGzip) // a gzip member has its own header around raw data
  private val checksum = new CRC32
  Coders.made()

  private var isFull = false // the last call has written all that there was room for

  private var state   = if (isGzip) AtHeader else InData
  private var header  = new GzipHeader
  private var trailer = 0L // bytes of the trailer that have been read
  private var sum     = 0L // what it says of the content
  private var length  = 0L // likewise, modulo 2^32

  def decode(out: Array[Byte]): Int = {
    var count = 0
    while (count == 0 && from < until) count = step(out)
    if (count == 0 && isFull && state == InData) count = inflate(out) // what it has kept for lack of room
    isFull = count == out.length
    count
  }

  private def step(out: Array[Byte]): Int = state match {
    case InData   => inflate(out)
    case AtHeader =>
      while (from < until && state == AtHeader) {
        if (header.add(input(from) & 0xff)) state = InData
        from += 1
      }
      0
    case AtTrailer =>
      while (from < until && trailer < 8) {
        val byte = input(from) & 0xffL
        if (trailer < 4) sum |= byte << (8 * trailer) else length |= byte << (8 * (trailer - 4))
        trailer += 1
        from += 1
      }
      if (trailer == 8) endMember()
      0
    case _ => throw Decoder.malformed // bytes after the end
  }

  private def inflate(out: Array[Byte]): Int = {
    // natively there must be a byte where the input begins, also when all is used and there is more output
    if (from < until) inflater.setInput(input, from, until - from) else inflater.setInput(nothing, 0, 0)
    val count =
      try inflater.inflate(out)
      catch { case _: DataFormatException => throw Decoder.malformed }
    from = until - inflater.getRemaining
    if (inflater.needsDictionary) throw Decoder.malformed
    if (isGzip) checksum.update(out, 0, count)
    if (inflater.finished) state = if (isGzip) AtTrailer else Done
    count
  }

  /** Another member may follow. */
  private def endMember(): Unit = {
    if (sum != checksum.getValue || length != (inflater.getBytesWritten & 0xffffffffL))
      throw Decoder.malformed
    state = AtHeader
    header = new GzipHeader
    trailer = 0
    sum = 0
    length = 0
    checksum.reset()
    inflater.reset()
  }

  def mayEnd: Boolean = state == Done || (state == AtHeader && !header.begun)

  def close(): Unit = {
    inflater.end()
    Coders.ended()
  }
}

private[compression] object InflatingDecoder {
  private final val AtHeader  = 0
  private final val InData    = 1
  private final val AtTrailer = 2
  private final val Done      = 3

  private val nothing = new Array[Byte](1)

  /** The header of a gzip member (RFC 1952 §2.3), byte by byte. */
  private final class GzipHeader {
    private var position = 0 // of the fixed part, up to 10
    private var flags    = 0
    private var extra    = 0 // bytes of the extra field, -1 and -2 while its length is read
    private var part     = 0 // flags that have been dealt with
    private var checked  = 0
    private var total    = 0

    def begun: Boolean = position > 0

    /** Whether this is the last byte. */
    def add(b: Int): Boolean = {
      total += 1
      if (total > MostHeader) throw Decoder.malformed
      if (position < 10) {
        if ((position == 0 && b != 0x1f) || (position == 1 && b != 0x8b) || (position == 2 && b != 8))
          throw Decoder.malformed
        if (position == 3) {
          flags = b
          if ((flags & 0xe0) != 0) throw Decoder.malformed
        }
        position += 1
        position == 10 && following()
      } else {
        part match {
          case Extra =>
            if (checked == 0) extra = b
            else if (checked == 1) extra |= b << 8
            checked += 1
            if (checked >= 2 && checked == extra + 2) done(Extra)
          case HeaderSum =>
            checked += 1
            if (checked == 2) done(HeaderSum)
          case text => if (b == 0) done(text)
        }
        part == 0
      }
    }

    private def done(which: Int): Unit = {
      flags &= ~which
      following()
      ()
    }

    /** Finds the next member; returns whether there is none. */
    private def following(): Boolean = {
      checked = 0
      part = 0
      for (which <- List(Extra, Name, Comment, HeaderSum)) if (part == 0 && (flags & which) != 0) part = which
      part == 0
    }
  }

  private final val MostHeader = 70000
  private final val HeaderSum  = 2
  private final val Extra      = 4
  private final val Name       = 8
  private final val Comment    = 16
}
