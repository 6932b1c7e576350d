package needletail.http.message

import needletail.http.text.Ascii

/** Fields that concern one connection, so that an intermediary does not pass them on (RFC 9110 §7.6.1). */
private[needletail] object HopByHop {

  /** Their names, in lower case. A message may name more of them in its Connection field. */
  val names: Set[String] =
    Set("connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade")

  /** The fields that are passed on; not those of `besides` either, which is in lower case. */
  def without(headers: Headers, besides: Set[String]): List[(String, String)] = {
    val named = headers.list("connection").map(Ascii.lower)
    headers.toList.filterNot { case (field, _) =>
      val name = Ascii.lower(field)
      names(name) || besides(name) || named.contains(name)
    }
  }
}
