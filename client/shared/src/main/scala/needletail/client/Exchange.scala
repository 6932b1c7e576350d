package needletail.client

import needletail.http.{ByteStream, ByteWriter, Headers, ResponseHead}

/**
 * A request on its way and what is to be told of its answer: what connections and pools deal with. The calls of
 * the public API are such, and so may be anybody's who wants to see each answer without paying for more.
 *
 * Everything happens on the connection's loop. After `onEnd` or `onFailed`, of which one comes, an exchange may be
 * sent again. Heads and octets handed over are the loop's: nothing of them may be kept after the return.
 */
private[needletail] abstract class Exchange {

  /** Neighbours in the line it stands in: a pool's queue, or those under way on a connection. */
  private[client] var next: Exchange = null
  private[client] var prev: Exchange = null
  private[client] var line: Line     = null

  /** The connection it is under way on; null before and after. */
  private[client] var connection: ClientConnection = null

  /** What the connection had been given before this. */
  private[client] var sentFrom: Long = 0

  /** When it gives up its place in the queue, on the loop's clock. */
  private[client] var queueUntil: Long = Long.MaxValue

  /** Must it not be sent on a connection that has idled? */
  private[client] var needsFresh: Boolean = false

  /** When the answer must be complete, on the loop's clock; after a change call `connection.settle()`. */
  var deadline: Long = Long.MaxValue

  /** Is it a HEAD request, whose answer has no content? */
  def isHead: Boolean = false

  /** May it be sent while other answers are awaited on its connection, and others while its is? */
  def mayPipeline: Boolean = false

  /** Writes the request: head, and content unless that is streamed or large. */
  def encode(into: ByteWriter): Unit

  /** Content behind what `encode` wrote, handed over, never to change; null for none. */
  def largeContent: Array[Byte] = null

  /** Content to be sent as it comes; null for none. */
  def contentStream: ByteStream = null

  /** Octets of `contentStream`; -1 sends it in chunks. */
  def contentLength: Long = -1

  /** Does the content wait for 100 (Continue)? */
  def awaitsContinue: Boolean = false

  /** The request has been written, but for a streamed content. */
  def onSent(): Unit

  /** A piece of the streamed content has been written; `last` when it is complete. */
  def onContentSent(last: Boolean): Unit = { val _ = last }

  def onHead(head: ResponseHead): Unit

  /** May octets of content be handed over now? If not, they stay in the connection, down to the peer's window. */
  def wantsContent: Boolean = true

  def onContent(bytes: Array[Byte], from: Int, until: Int): Unit

  /** There are no more octets for now. */
  def onPause(): Unit = ()

  /** The answer is complete. The connection may have another request already. */
  def onEnd(trailers: Headers): Unit

  def onFailed(error: ClientError): Unit

  /** For messages: "within 200 ms". */
  def limitText: String = "in time"
}
