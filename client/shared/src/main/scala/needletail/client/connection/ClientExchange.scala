package needletail.client.connection

import needletail.client.error.ClientError
import needletail.http.ByteStream
import needletail.http.http1.ResponseHead
import needletail.http.message.Headers
import needletail.http.text.ByteWriter

/**
 * A request and the object to be notified of its response: the unit that connections and pools work with. Calls of the
 * public API are exchanges, and so are the requests of the load tester.
 *
 * All methods are called on the connection's loop. Each request ends with exactly one of `onEnd` and `onFailed`;
 * after that the exchange may be sent again. Heads and arrays passed to it belong to the loop and must not be kept.
 */
private[needletail] abstract class ClientExchange {

  /** Neighbours in the queue that it is in, and that queue: a pool's, or the exchanges in flight on a connection. */
  private[client] var next: ClientExchange = null
  private[client] var prev: ClientExchange = null
  private[client] var line: ExchangeQueue  = null

  /** The connection it is in flight on; null before and after. */
  private[client] var connection: ExchangeConnection = null

  /** Bytes that the connection had been given before this request. */
  private[client] var sentFrom: Long = 0

  /** When it stops waiting in a pool's queue, in nanoseconds of the loop's clock. */
  private[client] var queueUntil: Long = Long.MaxValue

  /** Whether it must be sent on a new connection. */
  private[client] var needsFresh: Boolean = false

  /**
   * Whether this attempt is sent again, as a connection was lost. It may be what the connection was lost by, so no other
   * request is in flight with it on a connection that has not answered anything (RFC 9112 §9.3.2).
   */
  private[client] var isSentAgain: Boolean = false

  /**
   * When the response must be complete, in nanoseconds of the loop's clock. After a change while in flight, call
   * `connection.settle()`.
   */
  var deadline: Long = Long.MaxValue

  /** With pipelining: its response is the next one. Called again after each change. */
  private[client] def isNext(nowNanos: Long): Unit = { val _ = nowNanos }

  /** Whether it is a HEAD request, whose response has no content. */
  def isHead: Boolean = false

  /** Whether it may share its connection with other requests whose responses are outstanding. */
  def mayPipeline: Boolean = false

  /** Writes the request: the head, and the content unless that is streamed or large. */
  def encode(into: ByteWriter): Unit

  /** Content to be sent after what `encode` wrote; null for none. The array must not change afterwards. */
  def largeContent: Array[Byte] = null

  /** Content that is sent as it arrives; null for none. */
  def contentStream: ByteStream = null

  /** Bytes of `contentStream`; -1 sends it in chunks. */
  def contentLength: Long = -1

  /** Whether the content waits for 100 (Continue). */
  def awaitsContinue: Boolean = false

  /** The request has been written, except for streamed content. */
  def onSent(): Unit

  /** A piece of the streamed content has been written; `last`: the content is complete. */
  def onContentSent(last: Boolean): Unit = { val _ = last }

  /** The system has taken something of the content since it was handed over: within its buffers, the server reads. */
  def onContentTaken(): Unit = ()

  /** The head of the final response has been received. */
  def onHead(head: ResponseHead): Unit

  /** Whether content may be delivered now. Otherwise it stays in the connection, which stops reading. */
  def wantsContent: Boolean = true

  /** Content of the response: the bytes from `from` up to `until`. */
  def onContent(bytes: Array[Byte], from: Int, until: Int): Unit

  /** All bytes received so far have been delivered. */
  def onPause(): Unit = ()

  /** Unsolicited bytes followed the response. `onEnd` follows. */
  def onSurplus(): Unit = ()

  /** The response is complete. The connection may already have another request. */
  def onEnd(trailers: Headers): Unit

  /** The response is missing or incomplete. */
  def onFailed(error: ClientError): Unit

  /** The time limit, for messages: "within 200 ms". */
  def limitText: String = "in time"
}
