package needletail.json

import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, CodingErrorAction}
import java.nio.charset.StandardCharsets.UTF_8

/**
 * Recognises JSON by the grammar of RFC 8259 on decoded text, as a second opinion: regular expressions for tokens, and
 * the JDK's decoder for UTF-8.
 */
private[json] final class StrictJson(data: Array[Byte], maxDepth: Int) {
  private var rest = ""

  def accepts: Boolean =
    try {
      rest = UTF_8.newDecoder
        .onMalformedInput(CodingErrorAction.REPORT)
        .onUnmappableCharacter(CodingErrorAction.REPORT)
        .decode(ByteBuffer.wrap(data))
        .toString
      value(maxDepth) && rest.isEmpty
    } catch { case _: CharacterCodingException => false }

  private def value(depth: Int): Boolean = {
    spaces()
    val is =
      if (take("[")) depth > 0 && list("]")(value(depth - 1))
      else if (take("{")) depth > 0 && list("}")(string() && { spaces(); take(":") } && value(depth - 1))
      else if (rest.startsWith("\"")) string()
      else take("true") || take("false") || take("null") || number()
    spaces()
    is
  }

  private def list(close: String)(element: => Boolean): Boolean = {
    spaces()
    take(close) || {
      var ok = { spaces(); element }
      spaces()
      while (ok && take(",")) {
        spaces()
        ok = element
        spaces()
      }
      ok && take(close)
    }
  }

  private def number(): Boolean =
    prefix(StrictJson.Number).exists(_.length <= JsonLimits.default.maxNumberLength)

  private def string(): Boolean = rest.startsWith("\"") && {
    rest = rest.substring(1)
    val end = StrictJson.endOfString(rest)
    end >= 0 && {
      val paired = StrictJson.isPaired(rest.substring(0, end))
      if (paired) rest = rest.substring(end + 1)
      paired
    }
  }

  private def prefix(pattern: scala.util.matching.Regex): Option[String] = {
    val found = pattern.findPrefixOf(rest)
    found.foreach(text => rest = rest.substring(text.length))
    found
  }

  private def take(text: String): Boolean = {
    val is = rest.startsWith(text)
    if (is) rest = rest.substring(text.length)
    is
  }

  private def spaces(): Unit = rest = rest.dropWhile(c => " \t\r\n".indexOf(c.toInt) >= 0)
}

private object StrictJson {
  private val Number = "-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?".r

  /** The index of the closing quote, if what comes before it is valid; else -1. */
  private def endOfString(text: String): Int = {
    var i = 0
    while (i < text.length && text.charAt(i) != '"') {
      val c = text.charAt(i)
      if (c < ' ') return -1
      if (c != '\\') i += 1
      else if (i + 1 < text.length && "\"\\/bfnrt".indexOf(text.charAt(i + 1).toInt) >= 0) i += 2
      else if (
        text.startsWith("\\u", i) && i + 6 <= text.length && text.substring(i + 2, i + 6).forall(isHex)
      ) i += 6
      else return -1
    }
    if (i < text.length) i else -1
  }

  private def isHex(c: Char) = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')

  /** Whether all escapes of surrogates are pairs. */
  private def isPaired(inner: String): Boolean = {
    val withoutEscapes = inner.replace("\\\\", "  ")
    val unpaired = "(?i)\\\\ud[89ab][0-9a-f]{2}\\\\ud[c-f][0-9a-f]{2}".r.replaceAllIn(withoutEscapes, "")
    "(?i)\\\\ud[89a-f][0-9a-f]{2}".r.findFirstIn(unpaired).isEmpty
  }
}
