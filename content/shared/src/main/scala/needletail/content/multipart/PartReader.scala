package needletail.content.multipart

import java.nio.charset.StandardCharsets.{ISO_8859_1, US_ASCII}
import java.util.Arrays

import scala.util.{Failure, Success, Try}

import needletail.async.Async
import needletail.http.message.HttpError
import needletail.http.text.Grammar
import needletail.http.{ByteStream, Headers, MessageBody, OneAtATime, Status}

/** Finds the parts of a multipart body in its bytes (RFC 2046 §5.1.1). */
private[multipart] final class PartReader(
    source: ByteStream,
    boundary: String,
    limits: MultipartLimits,
    form: MessageBody
) {
  import PartReader._
  private val delimiter = ("\r\n--" + boundary).getBytes(US_ASCII)

  // The bytes that have been read and not been used. The body begins as if after a line, as its first boundary may.
  private var window = Array[Byte]('\r', '\n')
  private var from   = 0
  private var until  = 2
  private var held   = 0 // bytes of it that were counted as held for the client

  private var state              = Preamble
  private var total              = 0L
  private var parts              = 0
  private var headers            = 0L // bytes of the headers of all parts so far
  private var inPart             = 0L // bytes of the current part's content, or of the preamble
  private var newest: Any        = null
  private var failure: Throwable = null

  private val oneAtATime = new OneAtATime // a part, or a piece of one

  def nextPart(): Async[Option[FormPart]] = oneAtATime(findPart())

  private def findPart(): Async[Option[FormPart]] = {
    newest = null
    var skipped = 0
    while (failure == null && state != Over && state != AtHeader) { // the rest of the content, or the preamble
      val rest   = content()
      val result = rest.resultOrNull
      skipped += 1
      if (result == null) return rest.flatMap(_ => findPart())
      if (skipped > Turn) return Async.yieldNow.flatMap(_ => findPart())
    }
    if (failure != null) Async.fail(failure) else if (state == Over) none else header()
  }

  /** The next piece of the content; None at its end, when the next part's header, or the end, follows. */
  private def content(): Async[Option[Array[Byte]]] = {
    var i      = from
    var answer = null: Async[Option[Array[Byte]]]
    while (answer == null) {
      while (i < until && window(i) != '\r') i += 1
      val left = until - i
      if (left > 0 && !matches(i, Math.min(left, delimiter.length))) i += 1
      else if (left < delimiter.length + 2)
        answer = if (i > from) taken(i) else more().flatMap(_ => content())
      else {
        val a = window(i + delimiter.length)
        val b = window(i + delimiter.length + 1)
        if (a == '-' && b == '-') answer = ended(i, Over, 2)
        else if (a == '\r' && b == '\n') answer = ended(i, AtHeader, 2)
        else if (a == ' ' || a == '\t') answer = padded(i)
        else i += 1 // the boundary is the beginning of another text
      }
    }
    answer
  }

  private def matches(at: Int, length: Int): Boolean = {
    var i = 1
    while (i < length && window(at + i) == delimiter(i)) i += 1
    i >= length
  }

  /** A delimiter at `at`, with `extra` bytes after the boundary, ends the content. */
  private def ended(at: Int, next: Int, extra: Int): Async[Option[Array[Byte]]] =
    if (at > from) taken(at) // the delimiter is found again
    else {
      from += delimiter.length + extra
      state = next
      none
    }

  /** White space between the boundary and the end of its line. */
  private def padded(at: Int): Async[Option[Array[Byte]]] = {
    val begin = at + delimiter.length
    var i     = begin
    while (i < until && (window(i) == ' ' || window(i) == '\t')) i += 1
    if (i - begin > MostPadding) failed("a boundary of the form is malformed")
    else if (until - i < 2) if (at > from) taken(at) else more().flatMap(_ => content())
    else if (window(i) == '\r' && window(i + 1) == '\n') ended(at, AtHeader, i + 2 - begin)
    else failed("a boundary of the form is malformed")
  }

  private def taken(end: Int): Async[Option[Array[Byte]]] = {
    inPart += end - from
    if (state == Preamble && inPart > MostPreamble) failed("the form does not begin with its boundary")
    else if (inPart > limits.partSize) tooLarge(s"a part of the form is larger than ${limits.partSize} bytes")
    else {
      val piece = Arrays.copyOfRange(window, from, end)
      from = end
      if (from == until) letGo()
      Async.value(Some(piece))
    }
  }

  private def header(): Async[Option[FormPart]] = {
    val left = limits.totalHeaderBytes - headers
    val most = Math.min(limits.headerBytes.toLong, left)
    var end  = endOfHeader
    while (end < 0 && until - from - 2 < most) { // with the empty line behind it
      val waiting = more()
      val result  = waiting.resultOrNull
      if (result == null) return waiting.flatMap(_ => header())
      if (!result.isValue) return Async.fail(result.error)
      end = endOfHeader
    }
    val length = (if (end < 0) until else end) - from
    parts += 1
    if (length > limits.headerBytes)
      tooLarge(s"the header of a part is larger than ${limits.headerBytes} bytes")
    else if (parts > limits.parts) tooLarge(s"the form has more than ${limits.parts} parts")
    else if (length > left)
      tooLarge(s"the headers of the form's parts are larger than ${limits.totalHeaderBytes} bytes")
    else {
      headers += length
      // a handler may keep both the headers and the name of each part until it answers
      val refusal = form.hold(2 * length)
      if (refusal == null) begun(end) else fail(refusal)
    }
  }

  /** The part whose header ends at `end`. */
  private def begun(end: Int): Async[Option[FormPart]] =
    PartHeader.parse(window, from, end) match {
      case Left(message) => failed(message)
      case Right(parsed) =>
        from = end + 2
        state = InContent
        inPart = 0
        val own = new Object
        newest = own
        Async.value(Some(new FormPart(
          parsed.name,
          parsed.fileName,
          parsed.headers,
          new Content(own),
          form
        )))
    }

  /** The offset of the empty line's CRLF; -1 if it has not come. */
  private def endOfHeader: Int = {
    var i = from
    while (i + 1 < until) {
      if (window(i) == '\r' && window(i + 1) == '\n') {
        if (i == from) return i
        if (i + 3 < until && window(i + 2) == '\r' && window(i + 3) == '\n') return i + 2
      }
      i += 1
    }
    -1
  }

  /** Reads more bytes into the window. */
  private def more(): Async[Unit] = {
    val next    = source.next()
    val refusal = if (next.resultOrNull == null) keepRest() else null
    if (refusal == null) next.transform(received)
    else {
      next.cancel()
      fail(refusal)
    }
  }

  /**
   * Lets go of the piece, which may be much longer than its rest: who waits for more must not hold memory that is not
   * counted. Returns null, or the failure if the rest is too much.
   */
  private def keepRest(): Throwable = {
    letGo()
    val left = window.length
    if (left <= held) null
    else {
      val refusal = form.hold(left - held)
      if (refusal == null) held = left
      refusal
    }
  }

  private def letGo(): Unit = if (until - from < window.length) {
    window = if (from == until) empty else Arrays.copyOfRange(window, from, until)
    from = 0
    until = window.length
  }

  /** The memory that it keeps, in bytes. */
  private[multipart] def kept: Int = window.length

  private val received: Try[Option[Array[Byte]]] => Async[Unit] = {
    case Success(Some(piece)) =>
      total += piece.length
      if (total > limits.total) tooLarge(s"the form is larger than ${limits.total} bytes")
      else {
        val left = until - from
        if (left == 0) {
          window = piece
        } else {
          val next = new Array[Byte](left + piece.length)
          System.arraycopy(window, from, next, 0, left)
          System.arraycopy(piece, 0, next, left, piece.length)
          window = next
        }
        from = 0
        until = left + piece.length
        Async.unit
      }
    case Success(None) => failed("the form ends before its final boundary")
    case Failure(e)    =>
      failure = e
      Async.fail(e)
  }

  private def failed(message: String): Async[Nothing] = fail(HttpError(Status.BadRequest, message))

  private def tooLarge(message: String): Async[Nothing] = fail(HttpError(Status.ContentTooLarge, message))

  private def fail(error: Throwable): Async[Nothing] = {
    failure = error
    source.cancel()
    Async.fail(error)
  }

  /** The content of one part, which ends when another part is requested. */
  private final class Content(own: Any) extends ByteStream {
    private var over                       = false
    def next(): Async[Option[Array[Byte]]] =
      if (over || (newest != own)) Async.value(None)
      else if (failure != null) Async.fail(failure)
      else if (state != InContent) Async.value(None)
      else oneAtATime(content())
    def cancel(): Unit = over = true
  }
}

private[multipart] object PartReader {
  private final val Preamble  = 0
  private final val AtHeader  = 1
  private final val InContent = 2
  private final val Over      = 3

  private final val MostPadding  = 64
  private final val MostPreamble = 1024
  private final val Turn         = 64
  private val empty              = new Array[Byte](0)

  private val none: Async[Option[Nothing]] = Async.value(None)
}

/** The header of a part. */
private[multipart] final case class PartHeader(name: String, fileName: Option[String], headers: Headers)

private[multipart] object PartHeader {
  private final val MostLines = 32

  private def isControl(c: Char): Boolean = Character.isISOControl(c.toInt)

  /** The lines from `from` to the empty line at `until`. Left is the error. */
  def parse(bytes: Array[Byte], from: Int, until: Int): Either[String, PartHeader] = {
    val lines                                                 = List.newBuilder[(String, String)]
    var disposition: Option[(String, List[(String, String)])] = None
    var count                                                 = 0
    var i                                                     = from
    while (i < until) {
      var end = i
      while (bytes(end) != '\r' || bytes(end + 1) != '\n') end += 1
      var colon = i
      while (colon < end && bytes(colon) != ':') colon += 1
      val name  = new String(bytes, i, colon - i, ISO_8859_1)
      val value = if (colon == end) "" else new String(bytes, colon + 1, end - colon - 1, ISO_8859_1).trim
      count += 1
      if (colon == end || !Grammar.isToken(name) || !Grammar.isFieldValue(value) || count > MostLines)
        return Left("the header of a part is malformed")
      lines += name -> value
      if (name.equalsIgnoreCase("content-disposition")) {
        if (disposition.isDefined) return Left("a part has two fields Content-Disposition")
        disposition = Disposition.parse(Disposition.text(bytes, colon + 1, end).trim)
      }
      i = end + 2
    }
    disposition match {
      case Some(("form-data", parameters)) =>
        def named(parameter: String) = parameters.collect { case (`parameter`, value) => value }
        val extended                 = named("filename*").flatMap(Disposition.extended(_))
        (named("name"), named("filename")) match {
          case (Nil, _)                                  => Left("a part of the form has no name")
          case (_ :: _ :: _, _)                          => Left("a part of the form has two names")
          case (_, names) if names.drop(1).nonEmpty      => Left("a part of the form has two file names")
          case _ if named("filename*").drop(1).nonEmpty  => Left("a part of the form has two file names")
          case _ if extended.exists(_.exists(isControl)) =>
            Left("the file name of a part of the form has control characters")
          case (name :: _, names) =>
            Right(PartHeader(name, names.headOption.orElse(extended.headOption), Headers(lines.result()*)))
        }
      case _ => Left("a part of the form has no Content-Disposition: form-data")
    }
  }
}
