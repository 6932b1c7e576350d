package needletail.load.engine.compiled

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.util.regex.Pattern

import needletail.http.http1.MessageHead
import needletail.http.text.ByteWriter
import needletail.load.plan.{Check, Template}

/**
 * A request in the form in which it is sent: bytes if it is always the same, otherwise parts that are filled with a
 * session's values.
 *
 * @param fixed null if it has places for values
 * @param next the next request in the same session; null after the last
 */
private[engine] final class CompiledRequest(
    val kind: Int,
    val target: Target,
    val isHead: Boolean,
    val fixed: Array[Byte],
    parts: CompiledRequest.Parts,
    val answer: AnswerRules
) {
  var next: CompiledRequest = null // set once, by the compiler of the kind

  def write(into: ByteWriter, values: Array[String]): Unit =
    if (fixed != null) into.write(fixed) else into.write(parts.render(values))
}

private[engine] object CompiledRequest {

  /** The status that an answer on a WebSocket counts as: the one that opened it. */
  final val MessageStatus = 101

  /** The parts of a request, with places for values. */
  abstract class Parts {
    def isFixed: Boolean
    def render(values: Array[String]): Array[Byte]
  }

  /** A message on a WebSocket: its payload. */
  final class Message(text: Template) extends Parts {
    def isFixed: Boolean                           = text.isFixed
    def render(values: Array[String]): Array[Byte] = text.render(values, Template.plain).getBytes(UTF_8)
  }

  /**
   * @param before the method and a space
   * @param lines from the version to the last header's line, without the length
   * @param body null if there is none
   */
  final class HttpRequest(
      before: String,
      path: Template,
      lines: Vector[(String, Template)],
      body: Template,
      isForm: Boolean
  ) extends Parts {
    def isFixed: Boolean = path.isFixed && lines.forall(_._2.isFixed) && (body == null || body.isFixed)

    def render(values: Array[String]): Array[Byte] = {
      val out = new ByteWriter(512)
      out.writeLatin1(before)
      out.writeLatin1(path.render(values, Template.inTarget))
      out.writeLatin1(" HTTP/1.1\r\n")
      lines.foreach { case (name, value) =>
        out.writeLatin1(name)
        out.writeLatin1(": ")
        out.write(value.render(values, Template.inHeader).getBytes(UTF_8))
        out.writeCrLf()
      }
      if (body == null) out.writeCrLf()
      else {
        val rawBytes = body.render(values, if (isForm) Template.inForm else Template.plain).getBytes(UTF_8)
        out.writeLatin1("Content-Length: ")
        out.writeDecimal(rawBytes.length.toLong)
        out.writeCrLf()
        out.writeCrLf()
        out.write(rawBytes)
      }
      java.util.Arrays.copyOf(out.bytes, out.length)
    }
  }
}

/** A value that is taken from an answer: the first group of `pattern` in the body or in a header's value. */
private[engine] final class CompiledExtraction(val into: Int, val header: String, val pattern: Pattern) {
  def from(text: String): String = {
    val matcher = BoundedText.matcher(pattern, text)
    if (!matcher.find()) null else if (matcher.groupCount == 0) matcher.group() else matcher.group(1)
  }
}

/** The checks of an answer, and the values that are taken from it. */
private[engine] final class AnswerRules(
    good: Set[Int],
    checks: Vector[Check],
    extractions: Vector[CompiledExtraction]
) {
  private val statuses: Array[Boolean] = Array.tabulate(600)(good)
  private val headers                  = checks.collect { case c: Check.Header => c }.toArray
  private val contained                = checks.collect { case Check.BodyContains(text) => text }
  private val patterns  = checks.collect { case Check.BodyMatches(pattern) => Pattern.compile(pattern) }
  private val fromHeads = extractions.filter(_.header != null)
  private val fromBody  = extractions.filter(_.header == null)

  /** Whether more of a head than the status is needed. */
  val seesHead: Boolean = headers.nonEmpty || fromHeads.nonEmpty

  /** Whether the body is needed. */
  val seesBody: Boolean = contained.nonEmpty || patterns.nonEmpty || fromBody.nonEmpty

  def isGood(status: Int): Boolean = status >= 0 && status < 600 && statuses(status)

  /** Whether the head passes the checks. Takes values from it. */
  def acceptHead(head: MessageHead, values: Array[String]): Boolean = {
    val checked = headers.forall { check =>
      var i     = head.indexOf(check.name, 0)
      var found = false
      while (i >= 0 && !found) {
        found = head.value(i).contains(check.contains)
        i = head.indexOf(check.name, i + 1)
      }
      found
    }
    checked && fromHeads.forall { extraction =>
      val i = head.indexOf(extraction.header, 0)
      i >= 0 && take(extraction, head.value(i), values)
    }
  }

  /** Whether the body passes the checks. Takes values from it. */
  def acceptBody(body: ByteWriter, values: Array[String]): Boolean = {
    val text = new String(body.bytes, 0, body.length, if (AnswerRules.isUtf8(body)) UTF_8 else ISO_8859_1)
    contained.forall(text.contains) && patterns.forall(BoundedText.matcher(_, text).find()) &&
    fromBody.forall(take(_, text, values))
  }

  private def take(extraction: CompiledExtraction, text: String, values: Array[String]): Boolean = {
    val value = extraction.from(text)
    if (value != null) values(extraction.into) = value
    value != null
  }
}

private[engine] object AnswerRules {

  /** Bytes of a body that are checked; the rest is counted only. */
  final val MaxBody = 1024 * 1024

  private def isUtf8(body: ByteWriter): Boolean =
    try {
      UTF_8.newDecoder().decode(java.nio.ByteBuffer.wrap(body.bytes, 0, body.length))
      true
    } catch { case _: java.nio.charset.CharacterCodingException => false }
}
