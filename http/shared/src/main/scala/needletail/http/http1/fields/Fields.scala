package needletail.http.http1.fields

import needletail.http.message.Headers
import needletail.http.text.{Ascii, Latin1, Swar}

/**
 * Field lines, of a head or of trailers, as offsets into the received bytes.
 *
 * All offsets count from `base`, so that the bytes may move to another array if `bytes` and `base` are set
 * accordingly. Arrays and `null` because every request is parsed into this.
 *
 * @param lines for how many there is room at first
 */
private[needletail] class Fields(lines: Int = 16) {
  var bytes: Array[Byte] = Fields.noBytes
  var base: Int          = 0

  /** Four for each field line: start and end of the name, start and end of the value. */
  var fields: Array[Int] = new Array[Int](4 * lines)
  var fieldCount: Int    = 0

  /** Which of the fields with a bit in [[Fields]] are present; `repeated`: which more than once. */
  var seen: Int     = 0
  var repeated: Int = 0

  /** Indexed by such a bit: the first field with it. Valid only if `seen` has the bit. */
  val first: Array[Int] = new Array[Int](Fields.Expect + 1)

  /** The bytes between two offsets as Latin-1 text, which preserves every byte. */
  final def text(from: Int, until: Int): String = Latin1.decode(bytes, base + from, base + until)

  final def name(field: Int): String  = text(fields(4 * field), fields(4 * field + 1))
  final def value(field: Int): String = text(fields(4 * field + 2), fields(4 * field + 3))

  /** Where the value begins in `bytes`; `valueEnd`: where it ends. */
  final def valueStart(field: Int): Int = base + fields(4 * field + 2)
  final def valueEnd(field: Int): Int   = base + fields(4 * field + 3)

  /** Index of the first field with that name at or after `start`, or -1. */
  final def indexOf(name: String, start: Int): Int = {
    var i = start
    while (i < fieldCount) {
      if (Ascii.same(bytes, base + fields(4 * i), base + fields(4 * i + 1), name)) return i
      i += 1
    }
    -1
  }

  /** A copy of all lines. */
  final def toHeaders: Headers = {
    val flat = new Array[String](2 * fieldCount)
    var i    = 0
    while (i < fieldCount) {
      flat(2 * i) = name(i)
      flat(2 * i + 1) = value(i)
      i += 1
    }
    Headers.trusted(flat)
  }

  final def clearFields(): Unit = {
    fieldCount = 0
    seen = 0
    repeated = 0
  }

  /** Makes room for `count` lines in all. */
  final def reserve(count: Int): Unit =
    if (fields.length < 4 * count)
      fields = java.util.Arrays.copyOf(fields, Math.max(4 * count, 2 * fields.length))

  /** Appends a line whose value is not known yet. */
  final def openField(nameFrom: Int, nameUntil: Int): Unit = {
    val at = 4 * fieldCount
    reserve(fieldCount + 1)
    fields(at) = nameFrom
    fields(at + 1) = nameUntil
  }

  /** Sets the value of the line that was appended last. */
  final def closeField(valueFrom: Int, valueUntil: Int): Unit = {
    val at = 4 * fieldCount
    fields(at + 2) = valueFrom
    fields(at + 3) = valueUntil
    fieldCount += 1
    val bit = decisive(base + fields(at), fields(at + 1) - fields(at))
    if (bit != 0) {
      if ((seen & bit) == 0) first(bit) = at >> 2
      repeated |= seen & bit
      seen |= bit
    }
  }

  /**
   * The bit of a field that framing or the connection depends on, else 0. Compares the length, then the name a word at
   * a time. `| Fold` folds letters to lower case; it maps no other token byte to a letter or "-".
   */
  private def decisive(from: Int, length: Int): Int = {
    import Fields.*
    length match {
      case 4  => if (has(from, 4, HostWord)) Host else 0
      case 6  => if (has(from, 6, ExpectWord)) Expect else 0
      case 10 => if (has(from, 8, ConnectiWord) && has(from + 2, 8, NnectionWord)) Connection else 0
      case 14 => if (has(from, 8, ContentWord) && has(from + 6, 8, TLengthWord)) ContentLength else 0
      case 17 =>
        if (has(from, 8, TransferWord) && has(from + 8, 8, EncodinWord) && has(from + 9, 8, EncodingWord))
          TransferEncoding
        else 0
      case _ => 0
    }
  }

  private def has(from: Int, count: Int, word: Long): Boolean =
    (Swar.load(bytes, from, count) | (Fields.Fold >>> (64 - 8 * count))) == word
}

private[needletail] object Fields {
  final val Host             = 1
  final val ContentLength    = 2
  final val TransferEncoding = 4
  final val Connection       = 8
  final val Expect           = 16

  val noBytes = new Array[Byte](0)

  // Names as `Swar.load` gives them, in lower case
  private final val Fold         = 0x2020202020202020L
  private final val HostWord     = 0x74736f68L         // host
  private final val ExpectWord   = 0x746365707865L     // expect
  private final val ConnectiWord = 0x697463656e6e6f63L // connecti
  private final val NnectionWord = 0x6e6f697463656e6eL // nnection
  private final val ContentWord  = 0x2d746e65746e6f63L // content-
  private final val TLengthWord  = 0x6874676e656c2d74L // t-length
  private final val TransferWord = 0x726566736e617274L // transfer
  private final val EncodinWord  = 0x6e69646f636e652dL // -encodin
  private final val EncodingWord = 0x676e69646f636e65L // encoding
}
