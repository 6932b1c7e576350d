package needletail.gateway

import needletail.fuzz.{Check, FuzzTarget, Pieces}
import needletail.gateway.format.cgi.Variables
import needletail.gateway.format.scgi.Scgi
import needletail.http.text.ByteWriter

/**
 * SCGI heads by [[Scgi]]: every prefix is incomplete; the whole is the same as for an independent parser, and the same
 * when it is written and parsed again.
 */
object ScgiFuzz extends FuzzTarget("scgi") {
  private final val Limit = 2000

  def check(data: Array[Byte]): Unit = {
    val whole = parse(data, data.length, 'A')
    strict(Check.text(data)) match {
      case Some((pairs, length)) => Check.same("another reader", whole, (length, pairs))
      case None                  => Check(whole._1 <= 0, s"another reader finds no head of ${whole._1} bytes")
    }
    Pieces.of(data.length).flatMap(_.iterator).toSet[Int].foreach { known =>
      val part = parse(data, known, '0')
      if (whole._1 > 0 && known >= whole._1) Check.same(s"of $known bytes", part, whole)
      else if (whole._1 < 0) Check(part._1 <= 0, s"of $known bytes ${part._1}")
      else Check.same(s"of $known bytes", part._1, Scgi.More)
    }
    if (whole._1 > 0) {
      val others = whole._2.tail.filterNot(_._1 == "SCGI").filterNot(_._1 == "CONTENT_LENGTH")
      val w      = new ByteWriter(64)
      Scgi.write(w, 12, others)
      Check.same(
        "written and read again",
        parse(w.taken, w.length, 'A'),
        (w.length, List("CONTENT_LENGTH" -> "12", "SCGI" -> "1") ++ others)
      )
    }
  }

  override def read(data: Array[Byte]): Unit = {
    val array = Check.bytes(s"${data.length}:") ++ data :+ ','.toByte
    Scgi.read(new Variables, array, 0, array.length, data.length)
    ()
  }

  private def parse(data: Array[Byte], known: Int, filler: Byte): (Int, List[(String, String)]) = {
    var result = (0, List.empty[(String, String)])
    Pieces.feed(data, Array(known), filler) { (array, from, until) =>
      val variables = new Variables
      val to        = Scgi.read(variables, array, from, until, Limit)
      result = if (to > 0) (to - from, variables.toList) else (to, Nil)
    }
    result
  }

  private def strict(text: String): Option[(List[(String, String)], Int)] = {
    val colon  = text.indexOf(':')
    val digits = if (colon < 0) "" else text.substring(0, colon)
    if (!digits.matches("0|[1-9][0-9]{0,7}") || digits.toInt > Limit) None
    else {
      val end = colon + 1 + digits.toInt
      if (end >= text.length || text.charAt(end) != ',') None
      else {
        val parts = text.substring(colon + 1, end).split("\u0000", -1).toList
        val pairs = parts.dropRight(1).grouped(2).toList
        if (parts.last.nonEmpty || parts.size % 2 == 0 || pairs.exists(_.head.isEmpty)) None
        else {
          val all = pairs.map(p => (p.head, p(1)))
          if (
            all.nonEmpty && all.head._1 == "CONTENT_LENGTH" && all.head._2.nonEmpty &&
            all.filter(_._1 == "SCGI").lastOption.exists(_._2 == "1")
          )
            Some((all, end + 1))
          else None
        }
      }
    }
  }
}
