package needletail.http

/**
 * Field lines as offsets into the bytes they came in: of a request head, or of trailers.
 *
 * All offsets count from `base`, so that the bytes may move to another array as long as `bytes` and `base` move
 * with them. Arrays and `null`: this is on the way of every request.
 */
private[needletail] class Fields {
  var bytes: Array[Byte] = Fields.noBytes
  var base: Int          = 0

  /** Four for each field line: name from, name until, value from, value until. */
  var fields: Array[Int] = new Array[Int](4 * 16)
  var fieldCount: Int    = 0

  /** Which of the fields that decide about a message came, a bit of [[Fields]] for each; and which came again. */
  var seen: Int     = 0
  var repeated: Int = 0

  /** Indexed by such a bit: the first field that set it; holds only where `seen` has the bit. */
  val first: Array[Int] = new Array[Int](Fields.Expect + 1)

  /** Text of the octets between two offsets, as Latin-1: what every octet means is kept. */
  final def text(from: Int, until: Int): String = Latin1.decode(bytes, base + from, base + until)

  final def name(field: Int): String  = text(fields(4 * field), fields(4 * field + 1))
  final def value(field: Int): String = text(fields(4 * field + 2), fields(4 * field + 3))

  /** Where the value begins and ends in `bytes`. */
  final def valueStart(field: Int): Int = base + fields(4 * field + 2)
  final def valueEnd(field: Int): Int   = base + fields(4 * field + 3)

  /** Index of the first field of that name at or after `start`, or -1. */
  final def indexOf(name: String, start: Int): Int = {
    var i = start
    while (i < fieldCount) {
      if (Ascii.same(bytes, base + fields(4 * i), base + fields(4 * i + 1), name)) return i
      i += 1
    }
    -1
  }

  /** All lines, copied out of the bytes. */
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

  /** Makes room for so many lines in all. */
  final def reserve(count: Int): Unit =
    if (fields.length < 4 * count)
      fields = java.util.Arrays.copyOf(fields, Math.max(4 * count, 2 * fields.length))

  /** Appends a line whose name ends at `nameUntil` and whose value is not known yet. */
  final def openField(nameFrom: Int, nameUntil: Int): Unit = {
    val at = 4 * fieldCount
    reserve(fieldCount + 1)
    fields(at) = nameFrom
    fields(at + 1) = nameUntil
  }

  /** Completes the line that was opened. */
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
   * The bit of a field that decides about a message, else 0: by length, then compared whole, a word at a time.
   * `| Fold` folds the case of letters and takes no other octet of a token to a letter or to "-".
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
    (Octets.load(bytes, from, count) | (Fields.Fold >>> (64 - 8 * count))) == word
}

private[needletail] object Fields {
  final val Host             = 1
  final val ContentLength    = 2
  final val TransferEncoding = 4
  final val Connection       = 8
  final val Expect           = 16

  val noBytes = new Array[Byte](0)

  // Names as `Octets.load` gives them, in lower case
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
