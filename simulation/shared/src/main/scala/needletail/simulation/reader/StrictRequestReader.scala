package needletail.simulation.reader

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.ISO_8859_1

/**
 * An independent reader of the HTTP/1.1 requests that the library's client writes on one connection, as strict as RFC
 * 9112: it reads along, as the library's own server would accept some that others refuse.
 *
 * @param host    what each request has to call its server
 * @param content what a request has to send after that head; null for anything
 */
final class StrictRequestReader(
    host: String,
    content: StrictRequestReader.Head => Array[Byte],
    found: String => Unit
) {
  import StrictRequestReader._

  private val unread   = new ByteArrayOutputStream
  private val gathered = new ByteArrayOutputStream
  private var bytes    = new Array[Byte](0)
  private var at       = 0
  private var requests = 0
  private var isWrong  = false
  private var isLast   = false

  private var head: Head = null // of the request whose content comes
  private var left       = 0    // of its content, or of its chunk; -1: a chunk's size comes next

  /** The client has sent these bytes. */
  def feed(more: Array[Byte], from: Int, count: Int): Unit = if (!isWrong) {
    unread.write(more, from, count)
    bytes = unread.toByteArray
    at = 0
    while (!isWrong && step()) ()
    unread.reset()
    unread.write(bytes, at, bytes.length - at)
  }

  private def fail(what: String): Unit = if (!isWrong) {
    isWrong = true
    found(s"request ${requests + 1} of a client is no HTTP: $what")
  }

  /** Reads the next part; false if it has not arrived. */
  private def step(): Boolean =
    if (head == null)
      StrictFrameReader.head(bytes.drop(at), bytes.length - at) match {
        case Some((lines, length)) =>
          at += length
          begin(lines)
          true
        case None =>
          if (isLast && at < bytes.length) fail("it follows one that has said it is the last")
          false
      }
    else if (left >= 0) readContent()
    else readSize()

  private def begin(lines: List[String]): Unit = {
    if (isLast) fail("it follows one that has said it is the last")
    if (!lines.head.matches("[A-Z]+ /[A-Za-z0-9._~!$&'()*+,;=:@/?%-]* HTTP/1\\.1"))
      fail(s"the line '${lines.head}'")
    lines.tail.filterNot(_.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\\t\\x20-\\x7e\\x80-\\xff]*"))
      .foreach(line => fail(s"the field '$line'"))
    if (!isWrong) {
      val fields = lines.tail.map { line =>
        val colon = line.indexOf(':')
        (line.take(colon).toLowerCase, line.drop(colon + 1).trim)
      }
      head = Head(lines.head, fields)
      val lengths = head.all("content-length")
      val codings = head.all("transfer-encoding")
      if (head.all("host") != List(host)) fail(s"the host ${head.all("host")} instead of $host")
      if (lengths.size + codings.size > 1) fail(s"the lengths $lengths and $codings")
      if (lengths.exists(l => !l.matches("0|[1-9]\\d{0,8}"))) fail(s"the length $lengths")
      if (codings.exists(_ != "chunked")) fail(s"the coding $codings")
      if (lengths.isEmpty && codings.isEmpty && head.line.startsWith("POST "))
        fail("no length of its content")
      if (head.all("expect").exists(_ != "100-continue")) fail(s"it expects ${head.all("expect")}")
      isLast = head.all("connection").exists(_.toLowerCase.contains("close"))
      left = if (codings.nonEmpty) -1 else lengths.headOption.fold(0)(_.toInt)
      if (!isWrong && left == 0) complete()
    }
  }

  private def readContent(): Boolean = {
    val n = math.min(left, bytes.length - at)
    gathered.write(bytes, at, n)
    at += n
    left -= n
    if (left > 0) false
    else if (head.all("transfer-encoding").isEmpty) { complete(); true }
    else if (bytes.length - at < 2) false
    else {
      if (bytes(at) != '\r' || bytes(at + 1) != '\n') fail("a chunk that does not end where it says")
      at += 2
      left = -1
      true
    }
  }

  private def readSize(): Boolean = {
    val end = bytes.indexOf('\n'.toByte, at)
    if (end < 0) false
    else {
      val line = new String(bytes, at, end + 1 - at, ISO_8859_1)
      if (!line.matches("[0-9A-Fa-f]{1,7}\r\n")) { fail(s"a chunk's size '$line'"); false }
      else {
        val size = Integer.parseInt(line.dropRight(2), 16)
        if (size > 0) { left = size; at = end + 1; true }
        else if (bytes.length - end < 3) false
        else {
          at = end + 3
          if (bytes(end + 1) != '\r' || bytes(end + 2) != '\n') fail("trailers that nobody has set")
          complete()
          true
        }
      }
    }
  }

  private def complete(): Unit = {
    val wanted = content(head)
    if (wanted != null && !java.util.Arrays.equals(wanted, gathered.toByteArray))
      fail(s"${gathered.size} bytes that are not the ${wanted.length} of '${head.line}'")
    gathered.reset()
    requests += 1
    head = null
  }
}

object StrictRequestReader {

  /** @param fields with names in lower case */
  final case class Head(line: String, fields: List[(String, String)]) {
    def all(name: String): List[String] = fields.collect { case (own, value) if own == name => value }

    /** What a request of the simulations has as its content, by its mark and size, if it is sent as it is. */
    def ownContent: Array[Byte] =
      if (line.startsWith("GET ")) Array.emptyByteArray
      else
        (all("x-mark"), all("x-size")) match {
          case (List(mark), List(size)) =>
            if (line.contains("/typed/json ")) Mark.json(mark, size.toInt - 2)
            else Mark.content(mark, size.toInt)
          case _ => null
        }
  }
}
