package needletail.simulation.reader

import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.collection.mutable.ArrayBuffer

/**
 * A client's request, as far as it determines the response.
 *
 * @param content of a successful response; null for any, unmarked
 * @param mayEndEarly whether a successful response may be truncated
 */
final class SentRequest(
    val mark: String,
    val method: String,
    val content: Array[Byte],
    val mayContinue: Boolean,
    mayEndEarly: Boolean = false
) {

  /** Whether all of it has been sent. */
  var isSent = false

  /** The error in that response, complete or not, or null: it must not have another request's mark. */
  def stranger(answer: ReceivedResponse): String = {
    val text    = new String(answer.content, ISO_8859_1)
    val strange = Mark.others(mark, text + "\n" + answer.fields.map(_._2).mkString("\n"))
    if (strange.nonEmpty) s"an answer to ${strange.mkString(", ")} instead of $mark" else null
  }

  /** The error in that complete response, or null. */
  def wrong(answer: ReceivedResponse): String = {
    val strange = stranger(answer)
    if (strange != null || answer.status != 200 || content == null) strange
    else if (!answer.field("x-mark").contains(mark)) s"no mark $mark but ${answer.field("x-mark")}"
    else if (method != "HEAD" && !fits(answer.content))
      s"${answer.content.length} bytes that are not the ${content.length} of $mark"
    else null
  }

  private def fits(bytes: Array[Byte]): Boolean =
    if (mayEndEarly) bytes.length <= content.length && bytes.sameElements(content.take(bytes.length))
    else java.util.Arrays.equals(bytes, content)
}

/** A final response. */
final case class ReceivedResponse(status: Int, fields: Seq[(String, String)], content: Array[Byte]) {
  def field(name: String): Option[String] = fields.collectFirst { case (n, value) if n == name => value }
  def closes: Boolean                     = field("connection").exists(_.toLowerCase.contains("close"))
}

/**
 * An independent reader of HTTP/1.1 responses, as strict as RFC 9112, that checks each against its request.
 *
 * @param asked the request of that number, null if there is none
 */
class StrictHttpReader(asked: Int => SentRequest, found: String => Unit) {
  private var bytes = new Array[Byte](1024)
  private var until = 0
  private var at    = 0
  private var wrong = false

  val answers = new ArrayBuffer[ReceivedResponse]

  /** 100 (Continue) has arrived for the request whose response is next. */
  var continued = false

  /** The current response, once its head has arrived. */
  private var head: ReceivedResponse = null
  private var untilEnd               = false
  private val gathered               = new java.io.ByteArrayOutputStream
  private var isChunked              = false
  private var length                 = 0

  def hasClosed: Boolean = answers.lastOption.exists(_.closes)

  def isInAnswer: Boolean = head != null || at < until

  private def fail(what: String): Unit = {
    wrong = true
    val from = math.max(0, at - 40)
    val part = new String(bytes, from, math.min(until - from, 120), ISO_8859_1)
    found(s"answer ${answers.size + 1} is no HTTP: $what, at byte ${at - from} of ${show(part)}")
  }

  private def show(text: String): String =
    text.map(c => if (c == '\r') "\\r" else if (c == '\n') "\\n" else c.toString).mkString("'", "", "'")

  def feed(more: Array[Byte], count: Int): Unit = if (!wrong) {
    if (until + count > bytes.length) {
      val left  = until - at
      val grown = if (left + count > bytes.length / 2) new Array[Byte](2 * (left + count)) else bytes
      System.arraycopy(bytes, at, grown, 0, left)
      bytes = grown
      at = 0
      until = left
    }
    System.arraycopy(more, 0, bytes, until, count)
    until += count
    while (!wrong && step()) ()
  }

  private def step(): Boolean =
    if (head == null) at < until && readHead()
    else if (untilEnd) {
      gathered.write(bytes, at, until - at)
      at = until
      false
    } else if (isChunked) readChunk()
    else {
      val n = math.min(length - gathered.size, until - at)
      gathered.write(bytes, at, n)
      at += n
      if (gathered.size == length) { complete(); true }
      else false
    }

  /** The next line without its CRLF, null if it has not arrived; a CR or LF alone is an error. */
  private def line(): String = {
    var i = at
    while (i < until && bytes(i) != '\n' && bytes(i) != '\r') i += 1
    if (i >= until || (bytes(i) == '\r' && i + 1 >= until)) null
    else if (bytes(i) == '\n' || bytes(i + 1) != '\n') { fail("a line without CRLF"); null }
    else {
      val text = new String(bytes, at, i - at, ISO_8859_1)
      at = i + 2
      text
    }
  }

  private def readHead(): Boolean = {
    val start  = at
    val status = line()
    if (status == null) { if (!wrong) at = start; false }
    else if (!status.matches("HTTP/1\\.1 [1-5]\\d\\d [\\x20-\\x7e]*")) {
      fail(s"a status line ${show(status)}"); false
    } else {
      val fields = new ArrayBuffer[(String, String)]
      var text   = line()
      while (text != null && text.nonEmpty && !wrong) {
        val colon = text.indexOf(':')
        if (!text.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\\t\\x20-\\x7e\\x80-\\xff]*"))
          fail(s"a field ${show(text)}")
        else {
          fields += ((text.substring(0, colon).toLowerCase, text.substring(colon + 1).trim))
          text = line()
        }
      }
      if (wrong) false
      else if (text == null) { at = start; false }
      else { headCame(status.substring(9, 12).toInt, fields.toSeq); !wrong }
    }
  }

  private def headCame(status: Int, fields: Seq[(String, String)]): Unit = {
    val request                  = asked(answers.size)
    def count(name: String): Int = fields.count(_._1 == name)
    val lengths                  = fields.collect { case ("content-length", value) => value }
    if (status < 200) {
      if (status != 100) fail(s"status $status, which nobody asked for")
      else if (request == null || !request.mayContinue) fail("100 (Continue) that nobody waits for")
      else if (continued) fail("100 (Continue) a second time")
      else if (lengths.nonEmpty || count("transfer-encoding") > 0) fail("100 with content")
      continued = true
    } else {
      isChunked = fields.exists(f => f._1 == "transfer-encoding" && f._2.equalsIgnoreCase("chunked"))
      if (count("transfer-encoding") > (if (isChunked) 1 else 0)) fail("another transfer coding")
      if (lengths.size > 1 || lengths.exists(l => !l.matches("\\d{1,9}"))) fail(s"Content-Length $lengths")
      if (isChunked && lengths.nonEmpty) fail("both Content-Length and chunks")
      if (count("date") != 1) fail(s"${count("date")} Date fields")
      val none = status == 204 || status == 304 || (request != null && request.method == "HEAD")
      if (status == 204 && (lengths.nonEmpty || isChunked)) fail("framing fields with 204")
      head = ReceivedResponse(status, fields, null)
      untilEnd = !none && !isChunked && lengths.isEmpty
      if (untilEnd && !head.closes) fail("content until the end of a connection that stays open")
      if (none) { isChunked = false; length = 0 }
      else length = lengths.headOption.fold(0)(_.toInt)
    }
  }

  private def readChunk(): Boolean = {
    val start = at
    val size  = line()
    if (size == null) { if (!wrong) at = start; false }
    else if (!size.matches("[0-9A-Fa-f]{1,8}")) { fail(s"a chunk's size ${show(size)}"); false }
    else {
      val n = Integer.parseInt(size, 16)
      if (until - at < n + 2) { at = start; false }
      else {
        gathered.write(bytes, at, n)
        at += n
        if (bytes(at) != '\r' || bytes(at + 1) != '\n') {
          fail("a chunk that does not end where it says"); false
        } else {
          at += 2
          if (n == 0) complete()
          true
        }
      }
    }
  }

  private def complete(): Unit = {
    val answer  = head.copy(content = gathered.toByteArray)
    val request = asked(answers.size)
    head = null
    gathered.reset()
    untilEnd = false
    continued = false
    if (hasClosed) fail("an answer after the last one")
    check(request, answer)
    answers += answer
  }

  /** Whether responses are marked. */
  protected def isMarked: Boolean = true

  private def check(request: SentRequest, answer: ReceivedResponse): Unit = if (isMarked) {
    if (request == null) {
      val text   = new String(answer.content, ISO_8859_1)
      val fields = answer.fields.map(_._2).mkString("\n")
      // an incomplete request may only be refused
      if (answer.status < 400 || !answer.closes) fail(s"status ${answer.status} to no request")
      if (Mark.others("", text + fields).nonEmpty) fail("somebody's answer to no request")
    } else {
      if (answer.status == 400 && request.isSent) fail(s"400 to ${request.mark}, which was as it should be")
      val wrong = request.wrong(answer)
      if (wrong != null) fail(wrong)
    }
  }

  /** The connection has ended: with a reset, or orderly, which completes content without a length. */
  def ended(isReset: Boolean): Unit = if (!wrong && head != null && untilEnd && !isReset) complete()
}
