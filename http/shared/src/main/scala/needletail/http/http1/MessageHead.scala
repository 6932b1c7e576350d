package needletail.http.http1

import needletail.http.http1.fields.Fields

/** The common part of request and response heads: the fields, and values derived from them. */
private[needletail] class MessageHead(lines: Int = 16) extends Fields(lines) {

  /** The minor version: the 1 of HTTP/1.1. */
  var minor: Int = 1

  /** Bytes of content, as found by [[Framing]]: 0 if there is none, -1 if not known in advance. */
  var contentLength: Long = 0
  var chunked: Boolean    = false

  /** Whether the connection may persist after this exchange, as found by [[ConnectionRules]]. */
  var keepAlive: Boolean = true

  /** Bytes of the whole head, including its final empty line and any empty lines before it. */
  var length: Int = 0
}
