package needletail.http

/**
 * Takes the chunked coding off (RFC 9112 §7.1), as the octets come: data is handed out where it lies, uncopied.
 *
 * Sizes, extensions and trailers are checked to the letter. A chunk's size has at most 16 digits; extensions may
 * weigh, over the whole content, as much as the data and `MinOverhead` more.
 *
 * @param maxTrailers octets of the trailer section, its empty line included; beyond: 431
 */
private[needletail] final class ChunkedDecoder(maxTrailers: Int, maxTrailerFields: Int) {
  import ChunkedDecoder.*

  /** What the last `decode` came to: More, Data, Done or Bad. */
  var state: Int = More

  /** The piece of data the last `decode` found, in the array it was given; for state Data, never empty. */
  var dataFrom: Int  = 0
  var dataUntil: Int = 0

  /** What is wrong, in state Bad. */
  var error: HttpError = null

  /** The trailer fields that may be one (RFC 9110 §6.5.1), in state Done. */
  var trailers: Headers = Headers.empty

  private var phase     = SizeStart
  private var digits    = 0
  private var remaining = 0L // of the chunk under way, or of its size what has come
  private var data      = 0L // octets of data so far
  private var overhead  = 0L // octets of extensions so far

  // The trailer section, gathered here since it may come in pieces; null while there is none, as is usual
  private var section: ByteWriter       = null
  private var sectionFields: Fields     = null
  private var fieldParser: FieldParser  = null

  /** Octets of data that the chunk under way still announces; 0 while its size has not come whole. */
  def chunkLeft: Long = if (phase == InData) remaining else 0

  /** Begins on another body. */
  def reset(): Unit = {
    state = More
    phase = SizeStart
    digits = 0
    remaining = 0
    data = 0
    overhead = 0
    error = null
    trailers = Headers.empty
    section = null
  }

  /**
   * Reads on, up to the end of the octets, of one piece of data, or of the body; `state` says which. Answers up
   * to where the octets are used: they need not come again, but that those of `dataFrom` until `dataUntil` must
   * stay where they are while the caller works on them. After Done or Bad it uses nothing more.
   */
  def decode(bytes: Array[Byte], from: Int, until: Int): Int = {
    var p = from
    dataFrom = from
    dataUntil = from
    if (state == Done || state == Bad) return from
    state = More
    while (p < until) {
      if (phase == InData) {
        val n = Math.min(remaining, (until - p).toLong).toInt
        dataFrom = p
        dataUntil = p + n
        data += n
        remaining -= n
        if (remaining == 0) phase = DataCr
        state = Data
        return p + n
      }
      if (phase == InTrailers) return inTrailers(bytes, p, until)
      if (!accept(bytes(p))) return p
      p += 1
    }
    p
  }

  /** One octet of what surrounds the data; false when it is wrong, with `error` set. */
  private def accept(octet: Byte): Boolean = {
    phase match {
      case SizeStart =>
        if (!Grammar.is(octet, Grammar.Hex)) return bad("a chunk must begin with its size in hexadecimal digits")
        remaining = Grammar.hex(octet).toLong
        digits = 1
        phase = InSize
      case InSize =>
        if (Grammar.is(octet, Grammar.Hex)) {
          digits += 1
          // 16 digits at most, and the highest bit must stay free
          if (digits > 16 || (remaining >>> 59) != 0) return bad("a chunk's size is too large")
          remaining = (remaining << 4) | Grammar.hex(octet)
        } else if (octet == '\r') phase = SizeLf
        else if (octet == ';') phase = NameStart
        else if (isSpace(octet)) phase = Semicolon
        else return bad("a chunk's size must end in CRLF or have extensions behind it")
      case SizeLf =>
        if (octet != '\n') return bad("a chunk's size line must end in CRLF")
        phase = if (remaining == 0) InTrailers else InData
      case DataCr =>
        if (octet != '\r') return bad("a chunk's data must end in CRLF")
        phase = DataLf
      case DataLf =>
        if (octet != '\n') return bad("a chunk's data must end in CRLF")
        phase = SizeStart
      case _ =>
        overhead += 1
        if (overhead > data + MinOverhead) return bad("chunk extensions outweigh the data")
        return inExtension(octet)
    }
    true
  }

  /** chunk-ext = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] ), RFC 9112 §7.1.1 */
  private def inExtension(octet: Byte): Boolean = {
    val token = Grammar.is(octet, Grammar.Token)
    phase match {
      case Semicolon if octet == ';'                                 => phase = NameStart
      case Semicolon if isSpace(octet)                               => ()
      case NameStart if isSpace(octet)                               => ()
      case NameStart if token                                        => phase = InName
      case InName if token                                           => ()
      case InName | AfterName if octet == '='                        => phase = ValueStart
      case InName | AfterName if isSpace(octet)                      => phase = AfterName
      case ValueStart if isSpace(octet)                              => ()
      case ValueStart if token                                       => phase = InToken
      case ValueStart if octet == '"'                                => phase = InQuoted
      case InToken if token                                          => ()
      case InToken | QuotedEnd if isSpace(octet)                     => phase = Semicolon
      case InName | AfterName | InToken | QuotedEnd if octet == ';'  => phase = NameStart
      case InName | InToken | QuotedEnd if octet == '\r'             => phase = SizeLf
      case InQuoted if octet == '"'                                  => phase = QuotedEnd
      case InQuoted if octet == '\\'                                 => phase = QuotedPair
      case InQuoted | QuotedPair if Grammar.is(octet, Grammar.Value) => phase = InQuoted
      case _ => return bad("a chunk's extensions are malformed")
    }
    true
  }

  private def inTrailers(bytes: Array[Byte], from: Int, until: Int): Int = {
    if (section == null) {
      if (until - from >= 2 && bytes(from) == '\r' && bytes(from + 1) == '\n') {
        state = Done
        return from + 2
      }
      section = new ByteWriter(64)
      sectionFields = new Fields
      fieldParser = new FieldParser(maxTrailerFields)
    }
    val before = section.length
    val count  = Math.min(until - from, maxTrailers - before)
    section.write(bytes, from, count)
    sectionFields.bytes = section.bytes
    val end = fieldParser.parse(sectionFields, 0, section.length)
    if (end > 0) {
      trailers = ChunkedDecoder.permitted(sectionFields)
      state = Done
      from + (end - before)
    } else {
      if (end == FieldParser.Bad) fail(fieldParser.error)
      else if (section.length >= maxTrailers)
        fail(HttpError(Status.HeadersTooLarge, s"the trailer section is longer than $maxTrailers octets"))
      from + count
    }
  }

  private def isSpace(octet: Byte): Boolean = octet == ' ' || octet == '\t'

  private def bad(message: String): Boolean = {
    fail(HttpError(Status.BadRequest, message))
    false
  }
  private def fail(problem: HttpError): Unit = {
    error = problem
    state = Bad
  }
}

private[needletail] object ChunkedDecoder {
  final val More = 0
  final val Data = 1
  final val Done = 2
  final val Bad  = 3

  /** Octets of extensions that any content may have. */
  final val MinOverhead = 4096

  // Phases: which part of a chunk the next octet belongs to
  private final val SizeStart  = 0
  private final val InSize     = 1
  private final val SizeLf     = 2
  private final val InData     = 3
  private final val DataCr     = 4
  private final val DataLf     = 5
  private final val InTrailers = 6
  private final val Semicolon  = 7 // white space behind a size or a value
  private final val NameStart  = 8
  private final val InName     = 9
  private final val AfterName  = 10
  private final val ValueStart = 11
  private final val InToken    = 12
  private final val InQuoted   = 13
  private final val QuotedPair = 14
  private final val QuotedEnd  = 15

  /** What decides about framing, routing, authorisation or the content's form can't come after it (RFC 9110 §6.5.1). */
  private val forbidden = Set(
    "transfer-encoding", "content-length", "connection", "host", "trailer", "te", "upgrade", "expect", "keep-alive",
    "content-encoding", "content-type", "content-range", "authorization", "proxy-authorization", "cookie",
    "set-cookie", "cache-control", "max-forwards", "range", "if-match", "if-none-match", "if-modified-since",
    "if-unmodified-since", "if-range", "age", "date", "expires", "location", "retry-after", "vary", "warning",
    "www-authenticate", "proxy-authenticate"
  )

  private def permitted(fields: Fields): Headers =
    Headers.trusted(
      fields.toHeaders.toList.collect { case (n, v) if !forbidden(Ascii.lower(n)) => Array(n, v) }.toArray.flatten
    )
}
