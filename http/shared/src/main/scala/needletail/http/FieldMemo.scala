package needletail.http

/**
 * Remembers one section of field lines. What a client sends from request to request differs in the request line, but
 * hardly ever in the fields, and to compare a section costs a tenth of reading it: the very same octets are not taken
 * apart a second time. One octet that differs, and nothing is recalled.
 *
 * Shared by the connections of a loop: where many clients take turns it recalls nothing, and costs a comparison that
 * ends early and a copy.
 */
private[needletail] final class FieldMemo {
  private val octets   = new Array[Byte](FieldMemo.MaxLength)
  private var length   = 0                 // 0: nothing is remembered
  private var fields   = new Array[Int](0) // as in Fields, but counted from where the section begins
  private var count    = 0
  private var seen     = 0
  private var repeated = 0
  private val first    = new Array[Int](Fields.Expect + 1)

  // Whose lines have been filled in as they are here, with the section at that offset; null: nobody's
  private var filled: Fields = null
  private var filledAt       = 0

  /**
   * Fills in `into` where its octets from `start` on, of which those before `end` have come, begin with the section
   * remembered. Answers the offset behind it, or 0; both count from `into.base`.
   */
  def recall(into: Fields, start: Int, end: Int): Int =
    if (length == 0 || end - start < length || !same(into.bytes, into.base + start)) 0
    else {
      if ((filled ne into) || filledAt != start) fill(into, start)
      into.fieldCount = count
      into.seen = seen
      into.repeated = repeated
      start + length
    }

  @noinline private def fill(into: Fields, start: Int): Unit = {
    into.reserve(count)
    // Out of fields into values: else they are read again in each step
    val to   = into.fields
    val from = fields
    val n    = 4 * count
    var i    = 0
    while (i < n) {
      to(i) = from(i) + start
      i += 1
    }
    var rest = seen
    while (rest != 0) {
      val bit = rest & -rest
      into.first(bit) = first(bit)
      rest ^= bit
    }
    filled = into
    filledAt = start
  }

  /** The lines of those who were filled in are about to be read, and become others. */
  def disturb(): Unit = if (filled != null) filled = null

  /** Remembers the section from `start` to `until` that `from` holds, unless it is too long for that. */
  def remember(from: Fields, start: Int, until: Int): Unit =
    if (until - start <= octets.length) {
      length = until - start
      Octets.copy(from.bytes, from.base + start, octets, 0, length)
      count = from.fieldCount
      if (fields.length < 4 * count) fields = new Array[Int](4 * count)
      var i = 0
      while (i < 4 * count) {
        fields(i) = from.fields(i) - start
        i += 1
      }
      seen = from.seen
      repeated = from.repeated
      System.arraycopy(from.first, 0, first, 0, first.length)
    }

  /** Eight at a time from the front, where sections differ first; the last eight perhaps in part again. */
  private def same(bytes: Array[Byte], from: Int): Boolean = {
    val known = octets
    val last  = length - 8
    if (last < 0) false // no section with a Host field is that short
    else {
      var i = 0
      while (i < last && Octets.load(bytes, from + i) == Octets.load(known, i)) i += 8
      i >= last && Octets.load(bytes, from + last) == Octets.load(known, last)
    }
  }
}

private[needletail] object FieldMemo {

  /** Octets: more than what browsers send without large cookies. */
  final val MaxLength = 1024
}
