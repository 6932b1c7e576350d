package needletail.http.http1.fields

import needletail.http.text.Swar

/**
 * Caches one parsed section of field lines. A client's requests mostly differ in the request line only, and comparing
 * a section costs a tenth of parsing it, so identical bytes are not parsed again. If a single byte differs, the cache
 * is not used.
 *
 * Shared by the connections of a loop. If many clients take turns it misses, and costs a comparison that ends early
 * and a copy.
 */
private[needletail] final class FieldSectionCache {
  private var rawBytes =
    FieldSectionCache.none // only once there is something to keep: heads may never be complete
  private var length   = 0                 // 0: empty
  private var fields   = new Array[Int](0) // as in Fields, but from the start of the section
  private var count    = 0
  private var seen     = 0
  private var repeated = 0
  private val first    = new Array[Int](Fields.Expect + 1)

  // The Fields that were last filled in with this section, and at which offset; null: none
  private var filled: Fields = null
  private var filledAt       = 0

  /**
   * Fills in `into` if its bytes from `start` on begin with the cached section; those before `end` have arrived.
   * Returns the offset after the section, or 0; both count from `into.base`.
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
    // Fields copied to local values: otherwise they are read again in each step
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

  /** Forgets which Fields were filled in, as their lines are about to change. */
  def disturb(): Unit = if (filled != null) filled = null

  /** Caches the section from `start` to `until` in `from`, unless it is longer than `MaxLength`. */
  def remember(from: Fields, start: Int, until: Int): Unit =
    if (until - start <= FieldSectionCache.MaxLength) {
      if (rawBytes.length == 0) rawBytes = new Array[Byte](FieldSectionCache.MaxLength)
      length = until - start
      Swar.copy(from.bytes, from.base + start, rawBytes, 0, length)
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

  /** Compares eight bytes at a time from the front, where sections differ first. The last eight may overlap. */
  private def same(bytes: Array[Byte], from: Int): Boolean = {
    val known = rawBytes
    val last  = length - 8
    if (last < 0) false // no section with a Host field is that short
    else {
      var i = 0
      while (i < last && Swar.load(bytes, from + i) == Swar.load(known, i)) i += 8
      i >= last && Swar.load(bytes, from + last) == Swar.load(known, last)
    }
  }
}

private[needletail] object FieldSectionCache {

  /** Bytes: more than what browsers send without large cookies. */
  final val MaxLength = 1024

  private val none = new Array[Byte](0)
}
