package needletail.http.http1

import needletail.http.http1.fields.{FieldParser, FieldSectionCache}
import needletail.http.message.{HttpError, Method, Status}
import needletail.http.text.{Grammar, Swar, Words}

/**
 * Parses request heads, one after another, from bytes that arrive in pieces (RFC 9112 §2 to §5).
 *
 * Parsing is incremental: it stops where the bytes end and continues there in the next call. So a head that arrives
 * byte by byte costs no more than one that arrives whole, with the same result. It reads nothing beyond the head's
 * last byte or its limits. A typical request allocates nothing.
 *
 * Used by one connection at a time. It never throws, for any bytes.
 *
 * @param head is filled in by each head
 */
private[needletail] class HeadParser(limits: HeadLimits, val head: Head = new Head) {
  import HeadParser.*

  /**
   * The error, after `parse` has returned Bad. `head.method` is set if the method had been read: the response to a
   * refused HEAD request has no content.
   */
  var error: HttpError = null

  /** Whether the connection uses TLS; then absolute https targets are accepted (RFC 9110 §7.4). */
  var secure: Boolean = false

  private val fieldParser = new FieldParser(limits.maxHeaders)
  private val fieldMemo   = new FieldSectionCache
  private val hostRules   = new HostRules

  // Where in the head the bytes ended: the phase, the offset to continue at, and where the current element began
  private var phase = Idle
  private var pos   = 0
  private var mark  = 0

  private var blankLines  = 0
  private var hasEscape   = false // a percent sign in an origin-form path
  private var hasDot      = false // "/." in an origin-form path
  private var fieldsStart = 0

  /** Whether any byte of a request line has been read; empty lines before it do not count. */
  final def started: Boolean = phase > Blank && phase < Over

  /** Discards the current head; the next `parse` begins another. */
  final def reset(): Unit = phase = Idle

  /**
   * Continues parsing the head whose first byte is `bytes(from)`; the bytes before `until` have arrived. The bytes may
   * be in another place than in the last call, but must be the same and at least as many.
   *
   * Returns the length of the whole head in bytes, More, or Bad. After a length, `head` is complete and the next call
   * begins another head. After Bad, `error` is set until `reset`.
   */
  final def parse(bytes: Array[Byte], from: Int, until: Int): Int = {
    val head =
      this.head // loaded once, here and below, as any assignment may change it, for all the compiler knows
    if (phase >= Over) {
      if (phase == Failed) return Bad
      begin(head)
    }
    if (head.bytes ne bytes) head.bytes = bytes
    head.base = from
    val overlong = until - from >= limits.maxHead
    val end      = if (overlong) from + limits.maxHead else until
    var result   = if (phase < InFields) requestLine(head, bytes, from, end) else fieldsStart
    if (result > 0) {
      val recalled = if (phase < InFields) fieldMemo.recall(head, result, end - from) else 0
      phase = InFields
      fieldsStart = result
      result = if (recalled > 0) recalled else readFields(result, end - from)
      if (result > 0) {
        val until = result
        result = finish(head, until, recalled > 0)
        if (recalled == 0 && result > 0)
          fieldMemo.remember(head, fieldsStart, until) // only what was in order
      } else if (result == Bad) result = failed(fieldParser.error)
    }
    if (result == More && overlong) tooLong() else result
  }

  @noinline private def readFields(start: Int, end: Int): Int = {
    fieldMemo.disturb()
    fieldParser.parse(head, start, end)
  }

  @inline private def begin(head: Head): Unit = {
    head.clear()
    fieldParser.reset()
    if (error != null) error = null
    phase = Blank
    pos = 0
    mark = 0
    blankLines = 0
    hasEscape = false
    hasDot = false
  }

  /** Parses the request line (RFC 9112 §3). Returns where the fields begin, counted from `from`, More, or Bad. */
  @inline private def requestLine(head: Head, bytes: Array[Byte], from: Int, end: Int): Int = {
    var p = from + pos
    if (phase == Blank) {
      // A few empty lines before a request are ignored (RFC 9112 §2.2)
      while (p < end && bytes(p) == '\r') {
        if (p + 1 == end) return more(p - from)
        blankLines += 1
        if (bytes(p + 1) != '\n' || blankLines > MaxBlankLines)
          return bad("a request must begin with a method")
        p += 2
      }
      if (p == end) return more(p - from)
      mark = p - from
      phase = InMethod
    }
    if (phase == InMethod) {
      p = methodEnd(head, bytes, p, from + mark, end)
      if (p <= 0) return if (p == Bad) Bad else more(end - from)
      p += 1
      mark = p - from
      head.targetFrom = mark
      phase = AtTarget
    }
    if (phase == AtTarget) {
      if (p == end) return more(p - from)
      if (bytes(p) == ' ') return bad("the request target must not be empty")
      phase = if (bytes(p) == '/') InPath else InOther
      head.pathFrom = mark
    }
    if (phase < AtVersion) {
      // One byte beyond the limit is read: it may be the space that ends the target
      val start = from + head.targetFrom
      val stop  = if (end - start > limits.maxTarget) start + limits.maxTarget + 1 else end
      p = if (phase == InPath) pathEnd(head, bytes, p, stop, end) else p
      if (p > 0 && phase == InOther) p = targetEnd(bytes, p, stop, end)
      if (p == Bad) return Bad
      if (p == More) return if (pos - head.targetFrom > limits.maxTarget) targetTooLong() else More
      p += 1
      mark = p - from
      phase = AtVersion
    }
    version(head, bytes, p, from, end)
  }

  /**
   * Parses the method (RFC 9112 §3.1) from `start` on; the bytes before `p` are known to be token bytes. Returns where
   * it ends, More, or Bad.
   */
  @inline private def methodEnd(head: Head, bytes: Array[Byte], p: Int, start: Int, end: Int): Int = {
    if (end - start >= 8) {
      val word = Words.load(bytes, start)
      if ((word & 0xffffffffL) == GetWord) {
        if (!head.method.isGet) head.method = Method.GET
        return start + 3
      }
      if ((word & 0xffffffffffL) == PostWord) {
        if (!head.method.isPost) head.method = Method.POST
        return start + 4
      }
    }
    var q    = p
    val stop = if (end - start > limits.maxMethod) start + limits.maxMethod + 1 else end
    while (q < stop && Grammar.is(bytes(q), Grammar.Token)) q += 1
    if (q == stop) {
      if (q - start <= limits.maxMethod) return More
      return fail(Status.NotImplemented, "the method is longer than any supported one")
    }
    if (bytes(q) != ' ' || q == start) return bad("a request line must begin with a method and one space")
    head.method = Method.of(bytes, start, q)
    q
  }

  /**
   * Parses the path of an origin-form target. Returns where the target ends or, if `phase` is InOther, where its query
   * begins; otherwise More or Bad.
   */
  @inline private def pathEnd(head: Head, bytes: Array[Byte], start: Int, stop: Int, end: Int): Int = {
    val classes = TargetClasses.path
    var p       = start
    while (p < stop) {
      // most bytes of most paths are letters, digits and "/": words of these only are skipped
      var other = 0L
      while (
        p + 8 <= stop && {
          val word = Words.load(bytes, p)
          other = Swar.others(Swar.letters(word) | Swar.digitsAndSlash(word))
          other == 0
        }
      ) p += 8
      if (p == stop) return more(p - head.base)
      if (other != 0) p += Swar.before(other)
      val c = classes(bytes(p) & 0xff)
      if (c == TargetClasses.Plain) p += 1
      else if (c == TargetClasses.Dot) {
        if (bytes(p - 1) == '/') hasDot = true
        p += 1
      } else if (c == TargetClasses.Percent) {
        if (p + 2 >= end) return more(p - head.base)
        if (escape(bytes, p) == Bad) return Bad
        hasEscape = true
        p += 3
      } else if (c == TargetClasses.Space) {
        head.pathUntil = p - head.base
        head.targetUntil = p - head.base
        return p
      } else if (c == TargetClasses.Question) {
        head.pathUntil = p - head.base
        head.queryFrom = p + 1 - head.base
        phase = InOther
        return p + 1
      } else if (c != TargetClasses.Relaxed || !limits.relaxedTarget) return badByte(bytes(p))
      else p += 1
    }
    more(p - head.base)
  }

  /** Parses the rest of a target: a query, or a target in another form. Returns where its space is, More, or Bad. */
  private def targetEnd(bytes: Array[Byte], start: Int, stop: Int, end: Int): Int = {
    val classes = TargetClasses.rest
    // Brackets enclose IPv6 addresses, so they must be allowed in a target with an authority
    val relaxed = limits.relaxedTarget || bytes(head.base + head.targetFrom) != '/'
    var p       = start
    while (p < stop) {
      val c = classes(bytes(p) & 0xff)
      if (c == TargetClasses.Plain) p += 1
      else if (c == TargetClasses.Space) {
        head.targetUntil = p - head.base
        return p
      } else if (c == TargetClasses.Percent) {
        if (p + 2 >= end) return more(p - head.base)
        if (escape(bytes, p) == Bad) return Bad
        p += 3
      } else if (c != TargetClasses.Relaxed || !relaxed) return badByte(bytes(p))
      else p += 1
    }
    more(p - head.base)
  }

  /** Good if two digits that are allowed there follow the percent sign at `p`, else Bad. */
  private def escape(bytes: Array[Byte], p: Int): Int =
    if (!Grammar.is(bytes(p + 1), Grammar.Hex) || !Grammar.is(bytes(p + 2), Grammar.Hex))
      bad("a percent sign in the request target must be followed by two hexadecimal digits")
    else if (bytes(p + 1) == '0' && bytes(p + 2) == '0') bad("the request target must not contain %00")
    else Good

  /** Parses version and line end (RFC 9112 §2.3), then the target, which depends on the whole line. */
  @inline private def version(head: Head, bytes: Array[Byte], p: Int, from: Int, end: Int): Int = {
    if (end - p >= 10) {
      val word = Words.load(bytes, p)
      if (word == Http11 && bytes(p + 8) == '\r' && bytes(p + 9) == '\n') head.minor = 1
      else if (word == Http10 && bytes(p + 8) == '\r' && bytes(p + 9) == '\n') head.minor = 0
      else {
        if (!versionLike(bytes, p, 10)) return bad("the request line must end in HTTP/1.1 and CRLF")
        if (bytes(p + 5) != '1')
          return fail(Status.VersionNotSupported, "only HTTP/1.1 and HTTP/1.0 are supported")
      }
      if (!target(head, bytes)) Bad else p + 10 - from
    } else if (versionLike(bytes, p, end - p)) more(p - from)
    else bad("the request line must end in HTTP/1.1 and CRLF")
  }

  /** Whether these bytes may be the first `count` bytes of a version and a line end. */
  private def versionLike(bytes: Array[Byte], p: Int, count: Int): Boolean = {
    var i = 0
    while (i < count) {
      val expected = VersionForm.charAt(i)
      val good = if (expected == 'D') Grammar.is(bytes(p + i), Grammar.Digit) else bytes(p + i) == expected
      if (!good) return false
      i += 1
    }
    true
  }

  @inline private def target(head: Head, bytes: Array[Byte]): Boolean = {
    val problem =
      if (bytes(head.base + head.targetFrom) != '/') Target.resolve(head, secure, limits.relaxedTarget)
      else if (head.method.isConnect) Target.notAuthority
      else {
        if (head.queryFrom >= 0) head.queryUntil = head.targetUntil
        if (hasEscape || hasDot) PathNormaliser.normalise(head) else null
      }
    problem == null || failed(problem) != Bad
  }

  /** Checks what depends on the whole head: Host, framing, the connection. `again`: the fields come from the cache. */
  @inline private def finish(head: Head, length: Int, again: Boolean): Int = {
    head.length = length
    var problem = hostRules.decide(head, again)
    if (problem == null) problem = Framing.decide(head)
    if (problem == null) problem = ConnectionRules.decide(head)
    if (problem != null) failed(problem)
    else {
      phase = Over
      length
    }
  }

  @noinline private def tooLong(): Int =
    if (phase >= AtTarget && phase < AtVersion) targetTooLong()
    else fail(Status.HeadersTooLarge, s"the request head is longer than ${limits.maxHead} bytes")

  private def targetTooLong(): Int =
    fail(
      Status.UriTooLong,
      s"the request target is longer than ${Math.min(limits.maxTarget, limits.maxHead)} bytes"
    )

  @noinline private def badByte(byte: Byte): Int = bad(
    if (byte == '#') "the request target must not contain a fragment"
    else if (byte == '\r' || byte == '\n') "the request line must have a method, a target and a version"
    else "the request target contains a byte that must be percent-encoded"
  )

  private def more(at: Int): Int = {
    pos = at
    More
  }
  @noinline private def bad(message: String): Int = fail(Status.BadRequest, message)

  @noinline private def fail(status: Status, message: String): Int = failed(HttpError(status, message))

  @noinline private def failed(problem: HttpError): Int = {
    error = problem
    phase = Failed
    Bad
  }
}

private[needletail] object HeadParser {
  final val More = 0
  final val Bad  = -1

  private final val Good = 1

  /** Empty lines before a request line that are ignored. */
  final val MaxBlankLines = 4

  // Phases, in the order of the bytes
  private final val Blank     = 0
  private final val InMethod  = 1
  private final val AtTarget  = 2
  private final val InPath    = 3
  private final val InOther   = 4 // a query, or a target in another form than origin-form
  private final val AtVersion = 5
  private final val InFields  = 6
  private final val Over      = 7
  private final val Idle      = 8
  private final val Failed    = 9

  // Words as `Words.load` returns them, the first byte lowest
  private final val GetWord  = 0x20544547L         // "GET "
  private final val PostWord = 0x2054534f50L       // "POST "
  private final val Http11   = 0x312e312f50545448L // "HTTP/1.1"
  private final val Http10   = 0x302e312f50545448L // "HTTP/1.0"

  private final val VersionForm = "HTTP/D.D\r\n" // D: a digit
}
