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
      // a range with parameters is for special cases of its type: for others it counts only if no other range names the type
      val (special, general) = HeaderList.split(accept).partition(hasParameters)
      val ranges             = (general ++ special).map(range)
      val rated = offered.map(mediaType => mediaType -> quality(ranges, MediaType.essence(mediaType)))
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

  /** By the most specific range. */
  private def quality(ranges: List[(String, Int)], mediaType: String): Int = {
    val all = mediaType.substring(0, mediaType.indexOf('/') + 1) + "*"
    List(
      mediaType,
      all,
      "*/*"
    ).iterator.flatMap(r => ranges.find(_._1 == r)).map(_._2).nextOption().getOrElse(0)
  }
}
