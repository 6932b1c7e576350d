package needletail.content.answer

import needletail.http.message.{HeaderList, HttpError}
import needletail.http.text.Ascii
import needletail.http.{MediaType, Request, Response, Status}

/** Content negotiation by Accept (RFC 9110 §12.5.1). */
object Negotiation {

  /**
   * The response of the media type that the client likes best, the first of those it likes equally; 406 if it accepts
   * none. Vary says so.
   *
   * {{{
   * negotiate(request)("application/json" -> (() => order.toJson.ok), "text/html" -> (() => page(order).ok))
   * }}}
   */
  def negotiate(request: Request)(offered: (String, () => Response)*): Response =
    choose(request.headers.getAll("accept").mkString(","), offered.map(_._1)) match {
      case Some(mediaType) =>
        val made = offered.collectFirst { case (`mediaType`, make) => make() }.get
        if (made.headers.list("Vary").exists(_.equalsIgnoreCase("accept"))) made
        else made.header("Vary", "Accept")
      case None =>
        Response.of(HttpError(Status.NotAcceptable, s"there is ${offered.map(_._1).mkString(", ")}"))
          .header("Vary", "Accept")
    }

  /** The media type among `offered` that `accept` prefers; the first one if that is empty. */
  def choose(accept: String, offered: Seq[String]): Option[String] =
    if (accept.trim.isEmpty) offered.headOption
    else {
      val (special, general) = HeaderList.split(accept).partition(hasParameters)
      val (cases, types)     = (special.map(range), general.map(range))
      val rated = offered.map(mediaType => mediaType -> quality(types, cases, MediaType.essence(mediaType)))
      val best  = rated.map(_._2).foldLeft(0)(Math.max(_, _))
      if (best == 0) None else rated.collectFirst { case (mediaType, `best`) => mediaType }
    }

  /** A range and its weight in thousandths. */
  private def range(member: String): (String, Int) = {
    val q = MediaType.parameter(member, "q") match {
      case None       => 1000
      case Some(text) => text.toDoubleOption.filter(q => q >= 0 && q <= 1).fold(0)(q => (q * 1000).toInt)
    }
    (MediaType.essence(member), q)
  }

  /** Whether a range has a parameter before its weight. */
  private def hasParameters(member: String): Boolean =
    member.split(';').iterator.drop(1).map(_.trim).find(_.nonEmpty).exists(p =>
      !Ascii.lower(p).startsWith("q=")
    )

  /**
   * By the most specific range. One with parameters is for special cases of its type, which the offered one need not be:
   * it does not count if another one names the type, and can otherwise raise the quality that the type has by a
   * wildcard, as of a client that names the charset, but not lower it.
   */
  private def quality(general: List[(String, Int)], special: List[(String, Int)], mediaType: String): Int = {
    def of(ranges: List[(String, Int)], name: String): Option[Int] = ranges.find(_._1 == name).map(_._2)
    def wild(ranges: List[(String, Int)]): Option[Int]             =
      of(ranges, mediaType.substring(0, mediaType.indexOf('/') + 1) + "*").orElse(of(ranges, "*/*"))
    of(general, mediaType).getOrElse(
      Math.max(wild(general).getOrElse(0), of(special, mediaType).orElse(wild(special)).getOrElse(0))
    )
  }
}
