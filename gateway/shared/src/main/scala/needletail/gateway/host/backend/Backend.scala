package needletail.gateway.host.backend

import needletail.async.Async
import needletail.http.ByteStream

/** Takes the content of one request and returns a CGI response: a program, or a request to a FastCGI or SCGI server. */
private[host] trait Backend {

  /**
   * Takes content; the array then belongs to the backend. Completes when there is room for more; fails if no more is
   * accepted. Only one write at a time.
   */
  def write(bytes: Array[Byte]): Async[Unit]

  /** All content has been written. */
  def endInput(): Unit

  /** The response, head and content, in CGI's format. A failure gives the reason why it is incomplete. */
  def output: ByteStream

  /** Grows as the program reads the content, as far as can be seen: what the kernel has taken counts as read. */
  def inputProgress: Long = 0

  /** Makes what it has read since show in `inputProgress`. */
  def offerInput(): Unit = ()

  /** Whether what the program writes is read: not while another request of its connection has to be waited for. */
  def isHeard: Boolean = true

  /** For how long it was not, in nanoseconds. */
  def unheardNanos: Long = 0

  /** Whether it has ended by itself, so that it needs no more content. */
  def hasEnded: Boolean

  /** Whether nothing of a response has arrived. */
  def isUnused: Boolean = false

  /**
   * Ends it: the rest is not needed. May be called more than once, and after the end. If `endInput` was not called
   * before, it never sees an end of its input: part of the content would look like all of it.
   */
  def stop(): Unit
}
