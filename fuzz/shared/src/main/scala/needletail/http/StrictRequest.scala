package needletail.http

import needletail.http.StrictRequest.*
import needletail.http.http1.HeadLimits

/**
 * Parses one request head as the RFCs say, with regular expressions and strings: slow, and simple enough to be
 * obviously correct. It shares nothing with [[HeadParser]] but the limits.
 */
private[http] final class StrictRequest(limits: HeadLimits, secure: Boolean) {

  def read(text: String): Answer = {
    var at     = 0
    var blanks = 0
    while (text.startsWith("\r\n", at)) {
      blanks += 1
      at += 2
    }
    if (blanks > 4) Bad("empty lines")
    else {
      val end = text.indexOf("\r\n\r\n", at)
      if (end < 0) More
      else if (end + 4 > limits.maxHead) Bad("too long")
      else {
        val lines = text.substring(at, end).split("\r\n", -1).toList
        lines.head match {
          case RequestLine(method, target, minor) =>
            if (method.length > limits.maxMethod || target.length > limits.maxTarget) Bad("line too long")
            else if (lines.size - 1 > limits.maxHeaders) Bad("too many fields")
            else head(method, target, if (minor == "0") 0 else 1, lines.tail)
          case _ => Bad("no request line")
        }
      }
    }
  }

  private def head(method: String, target: String, minor: Int, lines: List[String]): Answer = {
    val fields = StrictFields.of(lines)
    if (fields == null) return Bad("a field line")
    if (!Escaped.matcher(target).matches || target.contains("%00")) return Bad("an escape")
    val others                            = if (limits.relaxedTarget) Relaxed else ""
    def plain(text: String, more: String) = text.forall(c => Plain.indexOf(c.toInt) >= 0 || more.contains(c))
    val (before, query)                   = target.indexOf('?') match {
      case -1 => (target, null)
      case i  => (target.take(i), target.drop(i + 1))
    }
    var authority: String = null
    var path: String      = ""
    var asked: String     = null
    if (target.startsWith("/")) {
      if (method == "CONNECT" || !plain(before, others) || (query != null && !plain(query, others + "?")))
        return Bad("the path")
      if (isAmbiguous(before)) return Bad("an ambiguous path")
      path = unambiguous(before)
      asked = query
    } else if (method == "CONNECT") {
      if (!StrictFields.isAuthority(target) || !Port.matcher(target).find) return Bad("CONNECT")
      authority = target
    } else if (target == "*") {
      if (method != "OPTIONS") return Bad("*")
    } else
      target match {
        case Absolute(scheme, named, after, question) =>
          if (scheme.nonEmpty && !secure || !StrictFields.isAuthority(named)) return Bad("an absolute target")
          asked = if (question == null) null else question.drop(1)
          if (!plain(after, others) || (asked != null && !plain(asked, others + "?"))) return Bad("its path")
          if (isAmbiguous(after)) return Bad("an ambiguous path")
          authority = named
          path =
            if (after.nonEmpty) unambiguous(after)
            else if (asked == null && method == "OPTIONS") ""
            else "/"
        case _ => return Bad("the form of the target")
      }
    val hosts = StrictFields.all(fields, "host")
    if (minor == 1 && hosts.isEmpty || hosts.size > 1) return Bad("Host fields")
    if (hosts.exists(host => host.nonEmpty && !StrictFields.isAuthority(host))) return Bad("Host")
    if (authority == null) authority = hosts.headOption.orNull
    val framing = StrictFields.framing(fields, minor)
    if (framing.isEmpty) return Bad("framing")
    val length  = framing.get.getOrElse(0L)
    val expects = if (minor == 0) Nil else StrictFields.members(fields, "expect")
    if (!expects.forall(_.equalsIgnoreCase("100-continue"))) return Bad("an expectation")
    Read(
      rendered(
        method,
        minor,
        path,
        asked,
        authority,
        length,
        length < 0,
        StrictFields.keepAlive(fields, minor),
        expects.nonEmpty && length != 0,
        fields
      )
    )
  }
}

private[http] object StrictRequest {
  sealed abstract class Answer
  final case class Read(head: String) extends Answer
  final case class Bad(why: String)   extends Answer
  case object More                    extends Answer

  private val Plain       = (('a' to 'z') ++ ('A' to 'Z') ++ ('0' to '9')).mkString + "-._~%!$&'()*+,;=:@/"
  private val Relaxed     = "|{}^`[]\"<>\\"
  private val RequestLine = """([-!#$%&'*+.^_`|~0-9A-Za-z]+) ([^ ]+) HTTP/1\.([0-9])""".r
  private val Escaped     = java.util.regex.Pattern.compile("(?s)([^%]|%[0-9A-Fa-f]{2})*")
  private val Port        = java.util.regex.Pattern.compile(":[0-9]+$")
  private val Absolute    = """(?s)[hH][tT][tT][pP]([sS]?)://([^/?]*)([^?]*)(\?.*)?""".r

  /** Whether ".." removes an empty segment, or one with an encoded slash, or stands beside one. */
  def isAmbiguous(path: String): Boolean = {
    var before = List.empty[String]
    decoded(path).drop(1).split("/", -1).exists {
      case "."  => false
      case ".." =>
        val removed = before.headOption
        before = before.drop(1)
        removed.exists(segment => segment.isEmpty || segment.contains("%2F"))
      case other =>
        before = other :: before
        other.split("%2F", -1).contains("..")
    }
  }

  /**
   * The parts of a path as servers see them that decode all slashes and make one of several before they remove dot
   * segments.
   */
  def merged(path: String): Vector[String] =
    decoded(path).split("/|%2F").toVector.filterNot(part => part.isEmpty || part == ".").foldLeft(
      Vector.empty[String]
    )((out, part) => if (part == "..") out.dropRight(1) else out :+ part)

  /** The normal form, which no other server takes for another path. */
  private def unambiguous(path: String): String = {
    val found = normal(path)
    if (merged(found) != merged(path)) throw new AssertionError(s"$path is ambiguous")
    found
  }

  /** RFC 3986 §6.2.2.2. */
  private def decoded(path: String): String = {
    val decoded = new StringBuilder
    var i       = 0
    while (i < path.length)
      if (path.charAt(i) == '%') {
        val c = Integer.parseInt(path.substring(i + 1, i + 3), 16).toChar
        if (c < 128 && (Character.isLetterOrDigit(c) || "-._~".contains(c))) decoded.append(c)
        else decoded.append(path.substring(i, i + 3).toUpperCase)
        i += 3
      } else {
        decoded.append(path.charAt(i))
        i += 1
      }
    decoded.toString
  }

  /** RFC 3986 §6.2.2.2 and §5.2.4. */
  def normal(path: String): String = {
    val segments = decoded(path).drop(1).split("/", -1).toVector
    var out      = Vector.empty[String]
    segments.zipWithIndex.foreach { case (segment, n) =>
      val last = n == segments.size - 1
      segment match {
        case "."  => if (last) out = out :+ ""
        case ".." =>
          out = out.dropRight(1)
          if (last) out = out :+ ""
        case other => out = out :+ other
      }
    }
    out.mkString("/", "/", "")
  }

  /** A head as text, for comparison; null for what is missing. */
  def rendered(
      method: String,
      minor: Int,
      path: String,
      query: String,
      authority: String,
      length: Long,
      chunked: Boolean,
      keepAlive: Boolean,
      expects: Boolean,
      fields: List[(String, String)]
  ): String =
    s"$method $minor path $path query $query authority $authority length $length chunked $chunked " +
      s"keepAlive $keepAlive expects $expects $fields"
}
