package needletail.client

import needletail.http.{Headers, Method}

/** What is done by itself about a redirection (RFC 9110 §15.4): nothing unsafe is repeated. */
private[client] object Redirection {

  def isOne(code: Int): Boolean = code == 301 || code == 302 || code == 303 || code == 307 || code == 308

  /**
   * Safe methods go on as they are. Others only as GET, and only where the RFC has it so: by 303, and POST by 301
   * and 302 as well, as everybody does. What 307 and 308 would have sent again is left to the caller.
   */
  def follows(code: Int, method: Method): Boolean =
    method.isSafe || code == 303 || ((code == 301 || code == 302) && method == Method.POST)

  /** Fields that speak of a content that is not sent again (RFC 9110 §15.4). */
  def withoutContent(headers: Headers): Headers = drop(headers, content)

  /** Fields that are nobody else's business. */
  def withoutCredentials(headers: Headers): Headers = drop(headers, credentials)

  private def drop(headers: Headers, names: List[String]): Headers = names.foldLeft(headers)(_ remove _)

  private val content =
    List(
      "Content-Type",
      "Content-Encoding",
      "Content-Language",
      "Content-Location",
      "Digest",
      "Last-Modified"
    )
  private val credentials = List("Authorization", "Proxy-Authorization", "Cookie", "Cookie2", "Host")
}
