package needletail.gateway.host

import needletail.async.Async
import needletail.http.ByteStream

/** Something that takes one request's content and gives a CGI response: a program, or a request to a FastCGI server. */
private[host] trait Backend {

  /** Hands over content; complete when there is room for more. Fails when no more is wanted. One at a time. */
  def write(bytes: Array[Byte]): Async[Unit]

  /** All content has been written. */
  def endInput(): Unit

  /** What it answers, head and content; a failure says why there is no more. */
  def output: ByteStream

  /** Has it certainly not begun on the request, or can it not be told? True of a kept connection that gave nothing. */
  def isUnused: Boolean = false

  /** Nobody needs the rest of it: ends it. May be repeated, and called when it is over. */
  def stop(): Unit
}
