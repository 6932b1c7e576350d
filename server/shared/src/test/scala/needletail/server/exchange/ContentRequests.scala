package needletail.server.exchange

/** Heads of requests with content, and the content of what was answered. */
private[server] trait ContentRequests {
  protected def post(length: Int, more: String = ""): String =
    s"POST / HTTP/1.1\r\nHost: a\r\n${more}Content-Length: $length\r\n\r\n"
  protected def chunkedPost: String =
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
  protected def content(output: String): String = output.substring(output.indexOf("\r\n\r\n") + 4)
}
