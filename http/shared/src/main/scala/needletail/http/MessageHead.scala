package needletail.http

/** What the heads of requests and of responses have in common: fields, and what follows from them. */
private[needletail] class MessageHead extends Fields {

  /** The 1 of HTTP/1.1. */
  var minor: Int = 1

  /** What [[Framing]] found: octets of content, 0 where there is none, -1 where only the end will tell. */
  var contentLength: Long = 0
  var chunked: Boolean    = false

  /** What [[ConnectionRules]] found: may the connection go on after this exchange? */
  var keepAlive: Boolean = true

  /** Octets of the whole head, with its final empty line and any empty lines before it. */
  var length: Int = 0
}
