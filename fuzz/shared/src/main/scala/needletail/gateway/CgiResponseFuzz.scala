package needletail.gateway

import needletail.fuzz.{Check, FuzzTarget, Pieces}
import needletail.gateway.format.cgi.{CgiResponse, CgiResponseParser}
import needletail.http.Response
import needletail.http.http1.ResponseParser
import needletail.http.message.{Headers, Status}
import needletail.http.text.ByteWriter

/**
 * The heads of programs' responses by [[CgiResponseParser]]: the same as for an independent parser, in any pieces, and
 * valid for forwarding: written to a client, or by CGI again, they mean the same.
 */
object CgiResponseFuzz extends FuzzTarget("cgi-response") {
  private val Line = """(?s)([-!#$%&'*+.^_`|~0-9A-Za-z]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)""".r

  private final case class Outcome(
      length: Int,
      status: Int,
      headers: List[(String, String)],
      redirect: String
  )

  def check(data: Array[Byte]): Unit = {
    val whole = parse(data, Array(data.length), 'A')
    strict(Check.text(data)) match {
      case Some(expected) => Check.same("another reader", whole, expected)
      case None => Check(whole.length <= 0, s"another reader finds no head of ${whole.length} bytes")
    }
    Pieces.of(data.length).flatMap(_.iterator).toSet[Int].foreach { known =>
      val part = parse(data, Array(known), '\n')
      if (whole.length > 0 && known >= whole.length) Check.same(s"of $known bytes", part, whole)
      else if (whole.length == CgiResponseParser.Bad) Check(part.length <= 0, s"of $known bytes $part")
      else Check.same(s"of $known bytes", part.length, CgiResponseParser.More)
    }
    Check.same("byte by byte", parse(data, Array.range(0, data.length + 1), '\n'), whole)
    if (whole.length > 0) sentOn(whole)
  }

  override def read(data: Array[Byte]): Unit = {
    new CgiResponseParser(data.length, data.length).parse(data, 0, data.length)
    ()
  }

  private def parse(data: Array[Byte], ends: Array[Int], filler: Byte): Outcome = {
    val parser = new CgiResponseParser(maxHead = 400, maxFields = 5)
    var result = Outcome(CgiResponseParser.More, 0, Nil, null)
    Pieces.feed(data, ends, filler) { (array, from, until) =>
      if (result.length == CgiResponseParser.More) {
        val n = parser.parse(array, from, until)
        result =
          if (n > 0) Outcome(n, parser.status, parser.headers.toList, parser.localRedirect)
          else Outcome(n, 0, Nil, null)
      }
    }
    result
  }

  private def sentOn(found: Outcome): Unit = {
    val framing = Set("content-length", "transfer-encoding", "connection")
    val kept    = found.headers.filterNot(h => framing(h._1.toLowerCase))
    val w       = new ByteWriter(64)
    val reply   = Response(Status(found.status)).withHeaders(Headers(kept: _*))
    val types   = kept.filter(_._1.equalsIgnoreCase("content-type"))
    val last    = kept.lastIndexWhere(_._1.equalsIgnoreCase("content-type")) // a response has one
    val once    = kept.zipWithIndex.collect { case (h, i) if i == last || !types.contains(h) => h }
    CgiResponse.write(w, reply)
    val again = new CgiResponseParser
    Check.same("by CGI again", again.parse(w.bytes, 0, w.length), w.length)
    Check.same("the status by CGI", again.status, found.status)
    val lines = again.headers.toList.filterNot(_._1.equalsIgnoreCase("content-length"))
    Check.same("the fields by CGI", lines.filter(once.contains), once)
    val http = Check.bytes(s"HTTP/1.1 ${found.status} \r\n" + kept.map { case (n, v) =>
      s"$n: $v\r\n"
    }.mkString + "\r\n")
    val parser = new ResponseParser(1 << 16, 100)
    Check.same("by HTTP", parser.parse(http, 0, http.length, toHead = false), http.length)
    Check.same("the fields by HTTP", parser.head.toHeaders.toList, kept)
    if (found.redirect != null) Check(found.redirect.startsWith("/"), found.redirect)
  }

  private def strict(text: String): Option[Outcome] = {
    var at     = 0
    var lines  = Vector.empty[String]
    var length = -1
    while (length < 0 && at >= 0) {
      val lf = text.indexOf('\n', at)
      if (lf < 0) return None
      val line = text.substring(at, lf).stripSuffix("\r")
      if (line.isEmpty) length = lf + 1 else lines = lines :+ line
      at = lf + 1
    }
    val fields = lines.map {
      case Line(name, value) => (name, value.reverse.dropWhile(c => c == ' ' || c == '\t').reverse)
      case _                 => null
    }
    if (fields.contains(null)) None else understood(length, fields)
  }

  private def understood(length: Int, fields: Vector[(String, String)]): Option[Outcome] = {
    val (statuses, others) = fields.partition(_._1.equalsIgnoreCase("status"))
    val good               = statuses.map(_._2).forall(_.matches("(?s)[2-5][0-9][0-9]( .*)?"))
    val code               = if (good) statuses.headOption.map(_._2.take(3).toInt) else None
    if (length > 400 || others.size > 5 || fields.isEmpty || !good || statuses.size > 1) None
    else {
      val location = others.find(_._1.equalsIgnoreCase("location")).map(_._2)
      val redirect = location.filter(l => code.isEmpty && others.size == 1 && l.matches("(?s)/([^/].*)?"))
      val status   = code.getOrElse(if (location.isDefined) 302 else 200)
      Some(Outcome(length, status, others.toList, redirect.orNull))
    }
  }
}
