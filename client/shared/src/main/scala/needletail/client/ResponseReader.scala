package needletail.client

import needletail.http.{ChunkedDecoder, Headers, HttpError, ResponseHead, ResponseParser, Status}

/**
 * The reading half of a connection to a server, without any input of its own: octets go in by `read`, the
 * exchanges under way are told what they mean, in the order of their requests.
 */
private[client] abstract class ResponseReader(context: LoopContext) {
  import ResponseReader.*

  /** Those whose answers have not come whole, the next one first. */
  protected val inFlight = new Line

  private var phase                   = AtHead
  private var partial: ResponseParser = null  // while a head has come in part
  private var begun                   = false // has any octet of the first one's answer come?
  private var interim                 = 0     // heads of 1xx before this answer's own
  private var remaining               = 0L    // of a body with a length
  private var decoder: ChunkedDecoder = null  // kept for the connection's next chunked body
  private var answers                 = 0     // complete ones

  // the octets of the present turn that have not been used
  private var in: Array[Byte] = null
  private var inAt            = 0
  private var inUntil         = 0

  /** Must no further request follow the answer under way? */
  protected var isLast = false

  /** Is it over with this connection? Then nothing of what comes is read. */
  protected var isOver = false

  /** The first one's answer is complete and its exchange has left the line; `spoiled`: more came than was asked for. */
  protected def answered(x: Exchange, trailers: Headers, spoiled: Boolean): Unit

  /**
   * The connection is of no use any more: the first one fails with this, those behind it were not answered. Null for
   * an orderly end while none is under way.
   */
  protected def broken(error: ClientError): Unit

  /** 100 (Continue) has come. */
  protected def continued(x: Exchange): Unit

  /** Has the kernel taken any octet of the first one's request? */
  protected def hasWritten: Boolean

  protected def hostName: String

  /** Is there content of the first answer to come that it does not want yet? */
  protected final def mustWait: Boolean =
    phase != AtHead && inFlight.first != null && !inFlight.first.wantsContent

  /** Has the first one's answer begun to come? */
  protected final def hasBegun: Boolean = begun

  /** Is the head of the first one's answer complete? */
  protected final def hasHead: Boolean = phase != AtHead

  /** Octets of the first one's content that are still to come; -1 where it is not known. */
  protected final def contentLeft: Long = if (phase == InFixed) remaining else -1

  /** Octets from the server; answers up to where they were used. The rest comes again, with more behind it. */
  final def read(bytes: Array[Byte], from: Int, until: Int): Int = {
    in = bytes
    inAt = from
    inUntil = until
    var go = true
    while (go && inAt < inUntil && !isOver)
      if (phase == AtHead) go = readHead()
      else if (!inFlight.first.wantsContent) go = false
      else readBody()
    if (phase != AtHead && !isOver) inFlight.first.onPause()
    val used = if (isOver) until else inAt
    in = null
    used
  }

  private def readHead(): Boolean = {
    val x = inFlight.first
    if (x == null) {
      broken(new ClientError.Malformed(hostName, "an answer came that nobody had asked for"))
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

  private def headCame(x: Exchange, head: ResponseHead): Unit =
    if (head.code < 200) interimCame(x, head.code)
    else {
      if (!head.keepAlive) isLast = true
      remaining = head.contentLength
      phase =
        if (head.chunked) {
          if (decoder == null) decoder = new ChunkedDecoder(context.config.maxHead, context.config.maxHeaders)
          else decoder.reset()
          InChunks
        } else if (remaining < 0) UntilClose
        else InFixed
      x.onHead(head) // which may give the exchange up, or the connection
      if (!isOver && phase == InFixed && remaining == 0) complete(Headers.empty)
    }

  /** RFC 9110 §15.2: any number of them may come; we take some. */
  private def interimCame(x: Exchange, code: Int): Unit = {
    interim += 1
    if (code == 101)
      broken(new ClientError.Malformed(hostName, "a switch of protocols that nobody had asked for"))
    else if (interim > MaxInterim)
      broken(new ClientError.Malformed(hostName, s"more than $MaxInterim interim answers"))
    else if (code == 100) continued(x)
  }

  private def readBody(): Unit = {
    val x    = inFlight.first
    val from = inAt
    phase match {
      case InFixed =>
        val n = math.min(remaining, (inUntil - inAt).toLong).toInt
        remaining -= n
        inAt += n
        x.onContent(in, from, inAt)
        if (!isOver && remaining == 0) complete(Headers.empty)
      case InChunks =>
        inAt = decoder.decode(in, from, inUntil)
        decoder.state match {
          case ChunkedDecoder.Data => x.onContent(in, decoder.dataFrom, decoder.dataUntil)
          case ChunkedDecoder.Done => complete(decoder.trailers)
          case ChunkedDecoder.Bad  => broken(fault(decoder.error))
          case _                   => ()
        }
      case _ =>
        inAt = inUntil
        x.onContent(in, from, inUntil)
    }
  }

  private def complete(trailers: Headers): Unit = {
    val x = inFlight.takeFirst()
    phase = AtHead
    begun = false
    interim = 0
    answers += 1
    answered(x, trailers, spoiled = inFlight.isEmpty && inAt < inUntil)
  }

  /** The server will send no more: the end of a body that only the connection ends, else of something unfinished. */
  protected final def inputEnded(): Unit =
    if (!isOver) {
      if (phase == UntilClose && inFlight.first != null) {
        isLast = true
        complete(Headers.empty)
      } else broken(if (inFlight.isEmpty) null else lost(null))
    }

  /** What it means for the first exchange that the connection has ended. */
  protected final def lost(cause: Throwable): ClientError.ConnectionLost = {
    val where = phase match {
      case AtHead if !begun                  => "before the answer"
      case AtHead                            => "inside the answer's head"
      case InFixed                           => s"inside the answer's body, $remaining octets before its end"
      case InChunks if decoder.chunkLeft > 0 => "inside a chunk of the answer's body"
      case InChunks                          => "inside the answer's chunked body, before its last chunk"
      case _                                 => "inside the answer's body"
    }
    val why = if (cause == null || cause.getMessage == null) "" else s" (${cause.getMessage})"
    new ClientError.ConnectionLost(
      hostName,
      s"the connection ended $where$why",
      cause,
      hasWritten,
      begun,
      answers > 0
    )
  }

  /** What was waited for, for the message of a time-out. */
  protected final def stage: String =
    if (phase != AtHead) "its body was coming"
    else if (begun) "its head was coming"
    else "nothing of it had come"

  private def fault(error: HttpError): ClientError =
    if (error.status == Status.HeadersTooLarge) new ClientError.TooLarge(hostName, error.message)
    else new ClientError.Malformed(hostName, s"malformed answer: ${error.message}")
}

private[client] object ResponseReader {
  // Where in an answer the next octet lies
  private final val AtHead     = 0
  private final val InFixed    = 1
  private final val InChunks   = 2
  private final val UntilClose = 3

  /** Interim answers before a final one. */
  private final val MaxInterim = 16
}
