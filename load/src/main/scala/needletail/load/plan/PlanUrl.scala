package needletail.load.plan

import needletail.client.url.{Origin, Url}

/** The URLs of a plan's requests, which may have places for a session's values after the server's name. */
private[load] object PlanUrl {

  /** Splits a URL into the part with the server's name, and the rest, which begins with a slash. */
  def split(url: String): (String, String) = {
    val scheme = url.indexOf("://")
    val from   = if (scheme < 0) 0 else scheme + 3
    val end    = url.indexWhere(c => c == '/' || c == '?', from)
    if (end < 0) (url, "/")
    else if (url.charAt(end) == '?') (url.take(end), "/" + url.drop(end)) else url.splitAt(end)
  }

  /** The server of a URL. Left is the error. */
  def origin(url: String): Either[String, Origin] = {
    val server = split(url)._1
    if (Template.names(server).nonEmpty) Left(s"$url: the server's name cannot be a value of the session")
    else Url.origin(asHttp(server)).left.map(reason => s"$url: $reason")
  }

  /** Whether it opens a WebSocket: `ws://` or `wss://`. */
  def isWebSocket(url: String): Boolean = url.startsWith("ws://") || url.startsWith("wss://")

  private def asHttp(url: String): String = if (isWebSocket(url)) "http" + url.drop(2) else url

  /** The servers of a plan, each once, in the order of its requests. Invalid URLs are left out. */
  def origins(plan: LoadPlan): Vector[Origin] =
    plan.kinds.flatMap(_.requests).flatMap(request => origin(request.url).toOption).distinct

  /** The error in a URL; None if it is valid. */
  def mistake(url: String): Option[String] =
    origin(url) match {
      case Left(reason) => Some(reason)
      case Right(_)     =>
        val (server, path) = split(url)
        if (isWebSocket(url) && Template.names(path).nonEmpty)
          Some(s"$url: the URL of a WebSocket cannot have values of the session, which its messages can")
        else Url.parse(asHttp(server) + Template.sample(path)).left.toOption.map(reason => s"$url: $reason")
    }
}
