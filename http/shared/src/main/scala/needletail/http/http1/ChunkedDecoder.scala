package needletail.http.http1

import needletail.http.http1.fields.{FieldParser, Fields}
import needletail.http.message.{Headers, HttpError, Status}
import needletail.http.text.{Ascii, ByteWriter, Grammar}

/**
 * Decodes the chunked transfer coding (RFC 9112 §7.1) incrementally. Data is not copied: the decoder reports where it
 * lies.
 *
 * Chunk sizes, extensions and trailers are parsed strictly. A chunk size has at most 16 digits. The extensions of a
 * body may have as many bytes as its data, and `MinOverhead` more.
 *
 * @param maxTrailers bytes of the trailer section, including its empty line; beyond: 431
 * @param maxTrailerFields fields of the trailer section; beyond: 431
 */
private[needletail] final class ChunkedDecoder(maxTrailers: Int, maxTrailerFields: Int) {
  import ChunkedDecoder.*

  /** The result of the last `decode`: More, Data, Done or Bad. */
  var state: Int = More

  /** Where the last `decode` found a piece of data, in the array passed to it. Never empty in state Data. */
  var dataFrom: Int  = 0
  var dataUntil: Int = 0

  /** The error, in state Bad. */
  var error: HttpError = null

  /** The trailer fields, without those that are not allowed in trailers (RFC 9110 §6.5.1); in state Done. */
  var trailers: Headers = Headers.empty

  private var phase     = SizeStart
  private var digits    = 0
  private var remaining = 0L // bytes left in the current chunk, or the part of its size read so far
  private var data      = 0L // bytes of data so far
  private var overhead  = 0L // bytes of extensions so far

  // The trailer section, collected here as it may arrive in parts; null if there is none, which is usual
  private var section: ByteWriter      = null
  private var sectionFields: Fields    = null
  private var fieldParser: FieldParser = null

  /** Bytes of data left in the current chunk; 0 until its size is complete. */
  def chunkLeft: Long = if (phase == InData) remaining else 0

  /** Bytes that are kept of a trailer section which has not arrived completely. */
  def keptBytes: Int = if (section == null) 0 else section.bytes.length

  /** Drops them: the rest of the body will not be decoded. */
  def abandon(): Unit = if (section != null) forgetSection()

  /** A decoder of the rest of this body that stops before its trailer section. */
  def lookAhead(): ChunkedDecoder = {
    val ahead = new ChunkedDecoder(maxTrailers, maxTrailerFields)
    ahead.phase = phase
    ahead.digits = digits
    ahead.remaining = remaining
    ahead.data = data
    ahead.overhead = overhead
    ahead.state = if (state == Done || state == Bad) state else More
    ahead.stopsAtTrailers = true
    ahead
  }

  private var stopsAtTrailers = false

  /** Whether all of the body before its trailer section has been decoded. */
  def isAtTrailers: Boolean = phase == InTrailers

  /**
   * Where the body ends in these bytes, which are all that has arrived of its trailer section; those that are kept of it
   * come before them. -1 if they do not have its end, or if it is malformed. Changes nothing.
   */
  def endOfTrailers(bytes: Array[Byte], from: Int, until: Int): Int = {
    val before = if (section == null) 0 else section.length
    val count  = Math.min(until - from, maxTrailers - before)
    val whole  =
      if (before == 0) java.util.Arrays.copyOfRange(bytes, from, from + count)
      else {
        val joined = java.util.Arrays.copyOf(section.bytes, before + count)
        System.arraycopy(bytes, from, joined, before, count)
        joined
      }
    val fields = new Fields
    fields.bytes = whole
    val end = new FieldParser(maxTrailerFields).parse(fields, 0, whole.length)
    if (end > 0) from + end - before else -1
  }

  /** Starts a new body. */
  def reset(): Unit = {
    state = More
    phase = SizeStart
    digits = 0
    remaining = 0
    data = 0
    overhead = 0
    error = null
    trailers = Headers.empty
    if (section != null) forgetSection()
  }

  /**
   * Decodes up to one piece of data, the end of the body, or the end of the bytes; `state` tells which.
   *
   * Returns the offset up to which the bytes are consumed. The bytes from `dataFrom` until `dataUntil` must stay in
   * place while the caller uses them. After Done or Bad nothing more is consumed.
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
      if (phase == InTrailers) return if (stopsAtTrailers) p else inTrailers(bytes, p, until)
      if (!accept(bytes(p))) return p
      p += 1
    }
    p
  }

  /** Processes one byte that is not data. Returns false and sets `error` if it is malformed. */
  private def accept(byte: Byte): Boolean = {
    phase match {
      case SizeStart =>
        if (!Grammar.is(byte, Grammar.Hex))
          return bad("a chunk must begin with its size in hexadecimal digits")
        remaining = Grammar.hex(byte).toLong
        digits = 1
        phase = InSize
      case InSize =>
        if (Grammar.is(byte, Grammar.Hex)) {
          digits += 1
          // 16 digits at most, and the highest bit must stay free
          if (digits > 16 || (remaining >>> 59) != 0) return bad("a chunk's size is too large")
          remaining = (remaining << 4) | Grammar.hex(byte)
        } else if (byte == '\r') phase = SizeLf
        else if (byte == ';') phase = NameStart
        else if (isSpace(byte)) phase = Semicolon
        else return bad("a chunk's size must be followed by CRLF or extensions")
      case SizeLf =>
        if (byte != '\n') return bad("a chunk's size line must end in CRLF")
        phase = if (remaining == 0) InTrailers else InData
      case DataCr =>
        if (byte != '\r') return bad("a chunk's data must end in CRLF")
        phase = DataLf
      case DataLf =>
        if (byte != '\n') return bad("a chunk's data must end in CRLF")
        phase = SizeStart
      case _ =>
        overhead += 1
        if (overhead > data + MinOverhead) return bad("chunk extensions outweigh the data")
        return inExtension(byte)
    }
    true
  }

  /** chunk-ext = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] ), RFC 9112 §7.1.1 */
  private def inExtension(byte: Byte): Boolean = {
    val token = Grammar.is(byte, Grammar.Token)
    phase match {
      case Semicolon if byte == ';'                                 => phase = NameStart
      case Semicolon if isSpace(byte)                               => ()
      case NameStart if isSpace(byte)                               => ()
      case NameStart if token                                       => phase = InName
      case InName if token                                          => ()
      case InName | AfterName if byte == '='                        => phase = ValueStart
      case InName | AfterName if isSpace(byte)                      => phase = AfterName
      case ValueStart if isSpace(byte)                              => ()
      case ValueStart if token                                      => phase = InToken
      case ValueStart if byte == '"'                                => phase = InQuoted
      case InToken if token                                         => ()
      case InToken | QuotedEnd if isSpace(byte)                     => phase = Semicolon
      case InName | AfterName | InToken | QuotedEnd if byte == ';'  => phase = NameStart
      case InName | InToken | QuotedEnd if byte == '\r'             => phase = SizeLf
      case InQuoted if byte == '"'                                  => phase = QuotedEnd
      case InQuoted if byte == '\\'                                 => phase = QuotedPair
      case InQuoted | QuotedPair if Grammar.is(byte, Grammar.Value) => phase = InQuoted
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
      forgetSection()
      state = Done
      from + (end - before)
    } else {
      if (end == FieldParser.Bad) fail(fieldParser.error)
      else if (section.length >= maxTrailers)
        fail(HttpError(Status.HeadersTooLarge, s"the trailer section is longer than $maxTrailers bytes"))
      from + count
    }
  }

  private def forgetSection(): Unit = {
    section = null
    sectionFields = null
    fieldParser = null
  }

  /** Drops the trailers, for a decoder that outlives the message. */
  def forgetTrailers(): Unit = trailers = Headers.empty

  private def isSpace(byte: Byte): Boolean = byte == ' ' || byte == '\t'

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

  /** Bytes of extensions that are always allowed. */
  final val MinOverhead = 4096

  // Phases: which part of a chunk the next byte belongs to
  private final val SizeStart  = 0
  private final val InSize     = 1
  private final val SizeLf     = 2
  private final val InData     = 3
  private final val DataCr     = 4
  private final val DataLf     = 5
  private final val InTrailers = 6
  private final val Semicolon  = 7 // white space after a size or a value
  private final val NameStart  = 8
  private final val InName     = 9
  private final val AfterName  = 10
  private final val ValueStart = 11
  private final val InToken    = 12
  private final val InQuoted   = 13
  private final val QuotedPair = 14
  private final val QuotedEnd  = 15

  /**
   * Fields for framing, routing, authorisation or the content's form, which are not allowed in trailers (RFC 9110
   * §6.5.1).
   */
  private val forbidden = Set(
    "transfer-encoding",
    "content-length",
    "connection",
    "host",
    "trailer",
    "te",
    "upgrade",
    "expect",
    "keep-alive",
    "content-encoding",
    "content-type",
    "content-range",
    "authorization",
    "proxy-authorization",
    "cookie",
    "set-cookie",
    "cache-control",
    "max-forwards",
    "range",
    "if-match",
    "if-none-match",
    "if-modified-since",
    "if-unmodified-since",
    "if-range",
    "age",
    "date",
    "expires",
    "location",
    "retry-after",
    "vary",
    "warning",
    "www-authenticate",
    "proxy-authenticate"
  )

  private def permitted(fields: Fields): Headers =
    Headers.trusted(
      fields.toHeaders.toList.collect {
        case (n, v) if !forbidden(Ascii.lower(n)) => Array(n, v)
      }.toArray.flatten
    )
}
