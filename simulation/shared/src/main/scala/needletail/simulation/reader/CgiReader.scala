package needletail.simulation.reader

import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.collection.mutable.ArrayBuffer

/**
 * An independent reader of CGI responses (RFC 3875 §6), stricter than the library's: lines end in CRLF, Status comes
 * first, and Content-Length must be correct.
 */
object CgiReader {

  /** A response, and whether it is known to be truncated; or the error in it. */
  sealed abstract class Read
  final case class Whole(answer: ReceivedResponse) extends Read
  final case class Part(answer: ReceivedResponse)  extends Read
  final case class Malformed(why: String)          extends Read

  /**
   * Reads a response.
   *
   * @param isHead whether only the head was requested
   */
  def read(bytes: Array[Byte], isHead: Boolean): Read = {
    val text = new String(bytes, ISO_8859_1)
    val end  = text.indexOf("\r\n\r\n")
    if (end < 0) Part(ReceivedResponse(0, Nil, bytes))
    else {
      val lines  = text.substring(0, end).split("\r\n", -1)
      val fields = new ArrayBuffer[(String, String)]
      val wrong  =
        lines.find(line => !line.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\\t\\x20-\\x7e\\x80-\\xff]*"))
      lines.filter(_.contains(':')).foreach { line =>
        val colon = line.indexOf(':')
        fields += ((line.substring(0, colon).toLowerCase, line.substring(colon + 1).trim))
      }
      val content = bytes.drop(end + 4)
      val lengths = fields.collect { case ("content-length", value) => value }
      val status = fields.headOption.filter(_._1 == "status").map(_._2).filter(_.matches("[2-5]\\d\\d( .*)?"))
      if (wrong.nonEmpty) Malformed(s"a field '${wrong.get}'")
      else if (status.isEmpty) Malformed(s"no Status first but '${lines(0)}'")
      else if (fields.count(_._1 == "status") > 1) Malformed("Status twice")
      else if (
        fields.exists(f => f._1 == "transfer-encoding" || f._1 == "connection" || f._1 == "keep-alive")
      )
        Malformed("a field about the connection")
      else if (lengths.size > 1 || lengths.exists(!_.matches("\\d{1,9}")))
        Malformed(s"Content-Length $lengths")
      else {
        val code = status.get.take(3).toInt
        // an error may respond to a request whose method could not be read
        val none   = isHead && (code < 400 || content.isEmpty) || code == 204 || code == 304
        val answer = ReceivedResponse(code, fields.toSeq.drop(1), content)
        if (none) { if (content.isEmpty) Whole(answer) else Malformed("content where there is none") }
        else if (lengths.isEmpty || lengths(0).toInt == content.length) Whole(answer)
        else if (content.length < lengths(0).toInt) Part(answer)
        else Malformed(s"${content.length} bytes where Content-Length is ${lengths(0)}")
      }
    }
  }

  /** The error in a program's output, which is complete or not; null if there is none. */
  def wrong(bytes: Array[Byte], asked: SentRequest, isAll: Boolean): String =
    read(bytes, asked.method == "HEAD") match {
      case Malformed(why)                              => why
      case Whole(answer) if isAll                      => asked.wrong(answer)
      case Part(answer) if isAll && answer.status == 0 =>
        s"no head: '${new String(bytes, ISO_8859_1).take(80)}'"
      case Whole(answer) => asked.stranger(answer)
      case Part(answer)  => asked.stranger(answer)
    }

  /** The variables of a request, as a web server sets them. */
  def variables(asked: SentRequest, kind: String, size: Int, length: Int): Seq[(String, String)] = Seq(
    "CONTENT_LENGTH"    -> (if (length >= 0) length.toString else ""),
    "GATEWAY_INTERFACE" -> "CGI/1.1",
    "REQUEST_METHOD"    -> asked.method,
    "REQUEST_URI"       -> s"/$kind",
    "SERVER_PROTOCOL"   -> "HTTP/1.1",
    "SERVER_NAME"       -> "a",
    "HTTP_HOST"         -> "a",
    "HTTP_X_MARK"       -> asked.mark,
    "HTTP_X_SIZE"       -> size.toString
  )
}
