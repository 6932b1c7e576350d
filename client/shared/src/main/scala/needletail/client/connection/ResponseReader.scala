package needletail.client.connection

import needletail.client.error.ClientError
import needletail.http.http1.{ContentDecoder, ResponseHead, ResponseParser}
import needletail.http.message.{Headers, HttpError, Status}

/**
 * The reading half of a connection to a server, without I/O: bytes are passed to `read`, and the exchanges in flight
 * are notified of their responses, in the order of their requests.
 */
private[client] abstract class ResponseReader(context: ClientLoopContext) {
  import ResponseReader.*

  /** Exchanges whose responses are not complete, the next one first. */
  protected val inFlight = new ExchangeQueue

  private var partial: ResponseParser = null  // of an incomplete head
  private var begun                   = false // whether any byte of the first response has arrived
  private var interim                 = 0     // interim (1xx) heads before the current response
  private var atHead                  = true  // otherwise within the content of the first response
  private val content                 = new ContentDecoder(context.config.maxHead, context.config.maxHeaders)
  private var answers                 = 0     // complete responses

  // the bytes of the current turn that have not been used
  private var in: Array[Byte] = null
  private var inAt            = 0
  private var inUntil         = 0

  /** Whether no further request may follow the current response. */
  protected var isLast = false

  /** Whether the connection has ended. Then input is not read any more. */
  protected var isOver = false

  /**
   * The first response is complete and its exchange has left the queue. `spoiled`: more data arrived than was
   * requested.
   */
  protected def answered(x: ClientExchange, trailers: Headers, spoiled: Boolean): Unit

  /**
   * The connection is unusable: the first exchange fails with this error, those after it were not answered. Null for
   * an orderly end with no exchange in flight.
   */
  protected def broken(error: ClientError): Unit

  /** 100 (Continue) has arrived. */
  protected def continued(x: ClientExchange): Unit

  /** Whether the kernel has taken any byte of the first request. */
  protected def hasWritten: Boolean

  /** The same, of the time when the bytes that are being read were received. */
  protected def hadWritten: Boolean = hasWritten

  protected def hostName: String

  /** Whether content of the first response is available that its exchange has not requested yet. */
  protected final def mustWait: Boolean =
    !atHead && inFlight.first != null && !inFlight.first.wantsContent

  /** Whether any byte of the first response has arrived. */
  protected final def hasBegun: Boolean = begun

  /** Whether no response has been completed on it. */
  private[client] final def isFresh: Boolean = answers == 0

  /** Whether the head of the first response is complete. */
  protected final def hasHead: Boolean = !atHead

  /** Bytes of the first response's content that are still to come; -1 if not known. */
  protected final def contentLeft: Long = if (atHead) -1 else content.left

  /**
   * Takes bytes from the server. Returns the index up to which they were used; the rest must be passed again, followed
   * by more.
   */
  final def read(bytes: Array[Byte], from: Int, until: Int): Int = {
    in = bytes
    inAt = from
    inUntil = until
    var go = true
    while (go && inAt < inUntil && !isOver)
      if (atHead) go = readHead()
      else if (!inFlight.first.wantsContent) go = false
      else readBody()
    if (!atHead && !isOver) inFlight.first.onPause()
    val used = if (isOver) until else inAt
    in = null
    used
  }

  private def readHead(): Boolean = {
    val x = inFlight.first
    if (x == null) {
      broken(new ClientError.Malformed(hostName, "a response arrived without a request"))
      false
    } else if (!begun && !hadWritten) { // with pipelining: the request was added behind others in this turn
      broken(lost("an unsolicited response arrived before the request was written", null))
      false
    } else {
      val parser = if (partial != null) partial else context.takeParser()
      val n      = parser.parse(in, inAt, inUntil, x.isHead)
      begun = true
      if (n > 0) {
        partial = null
        inAt += n
        headCame(x, parser.head)
        context.giveParser(parser)
        true
      } else {
        partial = parser
        if (n == ResponseParser.Bad) broken(fault(parser.error))
        false
      }
    }
  }

  private def headCame(x: ClientExchange, head: ResponseHead): Unit =
    if (head.code < 200) interimCame(x, head.code)
    else {
      if (!head.keepAlive) isLast = true
      content.begin(head, ContentDecoder.Unlimited) // whatever collects the content has a limit of its own
      atHead = false
      x.onHead(head) // which may drop the exchange, or close the connection
      if (!isOver && content.isComplete) complete()
    }

  /** RFC 9110 §15.2: any number of interim responses may arrive; a bounded number is accepted. */
  private def interimCame(x: ClientExchange, code: Int): Unit = {
    interim += 1
    if (code == 101)
      broken(new ClientError.Malformed(hostName, "an unrequested switch of protocols"))
    else if (interim > MaxInterim)
      broken(new ClientError.Malformed(hostName, s"more than $MaxInterim interim responses"))
    else if (code == 100) continued(x)
  }

  private def readBody(): Unit = {
    inAt = content.decode(in, inAt, inUntil)
    if (content.dataFrom < content.dataUntil)
      inFlight.first.onContent(in, content.dataFrom, content.dataUntil)
    if (!isOver)
      if (content.isComplete) complete()
      else if (content.error != null) broken(fault(content.error))
  }

  private def complete(): Unit = {
    val x = inFlight.takeFirst()
    atHead = true
    begun = false
    interim = 0
    answers += 1
    answered(x, content.takeTrailers(), spoiled = inFlight.isEmpty && inAt < inUntil)
  }

  /**
   * The server will send no more: the end of a body that ends with the connection, otherwise something is incomplete.
   */
  protected final def inputEnded(): Unit =
    if (!isOver) {
      if (!atHead && inFlight.first != null && content.inputEnded()) {
        isLast = true
        complete()
      } else broken(if (inFlight.isEmpty) null else lost(null))
    }

  /** The error of the first exchange when the connection has ended. */
  protected final def lost(cause: Throwable): ClientError.ConnectionLost = {
    val where =
      if (atHead) if (begun) "inside the response's head" else "before the response"
      else if (content.left >= 0) s"inside the response's body, ${content.left} bytes before its end"
      else if (content.chunkLeft > 0) "inside a chunk of the response's body"
      else if (content.isChunked) "inside the response's chunked body, before its last chunk"
      else "inside the response's body"
    val why = if (cause == null || cause.getMessage == null) "" else s" (${cause.getMessage})"
    lost(s"the connection ended $where$why", cause)
  }

  private def lost(what: String, cause: Throwable): ClientError.ConnectionLost =
    new ClientError.ConnectionLost(hostName, what, cause, hasWritten, begun, answers > 0)

  /** The pending step, for the message of a timeout. */
  protected final def stage: String =
    if (!atHead) "its body was incomplete"
    else if (begun) "its head was incomplete"
    else "no part of it had arrived"

  private def fault(error: HttpError): ClientError =
    if (error.status == Status.HeadersTooLarge) new ClientError.TooLarge(hostName, error.message)
    else new ClientError.Malformed(hostName, s"malformed response: ${error.message}")
}

private[client] object ResponseReader {

  /** Interim responses accepted before a final one. */
  private final val MaxInterim = 16
}
