package needletail.server.session

import needletail.http.{RequestParser, RequestView}
import needletail.http.http1.ContentDecoder
import needletail.http.message.{HttpError, Status}
import needletail.server.exchange.{
  BodyOwner,
  BodyReader,
  HeadMemory,
  InputWindow,
  ServerLoopContext,
  SessionOutput
}
import needletail.server.failure.ConnectionLost

/**
 * Reads the requests of one HTTP/1.1 connection from its window: heads, and the content after each. Has the deadline
 * for what the client must send. It calls nothing: its session asks it to continue, and acts on what it finds.
 */
private[server] final class RequestReader(
    wire: SessionOutput,
    context: ServerLoopContext,
    state: SessionState,
    input: InputWindow
) {

  /** The parser of an incomplete head; null if there is none. */
  private var parser: RequestParser = null

  /** The content that is not complete yet; null if there is none. */
  var body: BodyReader = null

  /** Created for the first content, then reused. */
  private var decoder: ContentDecoder = null

  /** The last content, complete or not, until the reply to its request is complete. */
  private var latest: BodyReader = null

  /** The size of the head that `readHead` has found, in bytes. */
  var headSize: Int = 0

  /** The parser that found a malformed request; null if there was none. */
  var failed: RequestParser = null

  /** The parser of a complete head, of `headSize` bytes, for which there is no memory; null if there is none. */
  private var unheld: RequestParser = null

  /** When it has become idle; `Busy` if it was not at the end of its last turn. */
  private var idleSince: Long = wire.nowNanos

  /** The deadline for what the client must send, in nanoseconds of the loop's clock; MaxValue if none. */
  var deadline: Long = idleSince + context.idleNanos

  /** Whose requests these are. */
  def peer: String = wire.info.remoteAddress

  // heads

  /**
   * Continues reading a head. Returns the parser with the complete head, of `headSize` bytes, which are not used yet;
   * the parser must be returned to the loop's context when the request has begun. Returns null if more bytes are
   * needed, if the request is malformed: then `failed` is set, or if there is no memory for it: see `takeUnheld`.
   */
  @inline def readHead(): RequestParser = {
    val p = if (parser != null) parser else { val fresh = context.takeParser(); fresh.reset(); fresh }
    val n = p.parse(input.bytes, input.position, input.limit)
    // 0 < n <= Uncounted, in one unsigned comparison
    if (n - 1 + Int.MinValue < HeadMemory.Uncounted + Int.MinValue) {
      if (parser != null) parser = null
      headSize = n
      p
    } else unusual(p, n)
  }

  @noinline private def unusual(p: RequestParser, found: Int): RequestParser = {
    val n = if (found < 0 && isSecureByProxy(p)) parseAsSecure(p) else found
    if (n > 0) {
      parser = null
      headSize = n
      if (context.heads.admits(n, wire.heldInput)) p
      else {
        unheld = p
        null
      }
    } else {
      if (n < 0) failed = p
      else if (parser == null) {
        parser = p
        deadline = wire.nowNanos + context.headNanos
        state.on(SessionState.HeadBegan)
      }
      null
    }
  }

  /** Whether the head was refused for its scheme only, and the client uses TLS, as a PROXY header has told. */
  private def isSecureByProxy(p: RequestParser): Boolean =
    context.hasProxies && p.error != null && p.error.status == Status.MisdirectedRequest && wire.info.isSecure

  /** Parses the head once more. Parsers are used by other connections, too. */
  private def parseAsSecure(p: RequestParser): Int = {
    val before = p.secure
    p.secure = true
    p.reset()
    try p.parse(input.bytes, input.position, input.limit)
    finally p.secure = before
  }

  /** The parser of a complete head for which there is no memory, once; null if there is none. As for `readHead`. */
  def takeUnheld(): RequestParser = {
    val p = unheld
    unheld = null
    p
  }

  private var isOfHead = false // the head that waits

  /** That head, which has been read, must wait. */
  def headWaits(head: RequestView): Unit = {
    isOfHead = head.method.isHead
    state.on(SessionState.HeadWaits)
  }

  /** Whether the head that waits, or has come in part, is of a HEAD request, whose reply has no content. */
  def isAtHeadRequest: Boolean = if (state.isHeld) isOfHead else hasBegunHead && parser.view.method.isHead

  /** Whether more of a head than empty lines has arrived. */
  def hasBegunHead: Boolean = state.isInHead && parser.started

  // content

  /** How much output the kernel has taken when it has taken all that precedes the last content's reply. */
  private var outputBefore: Long = 0

  /** Whether no output of earlier requests waits for the client to read it. */
  def followsAllOutput: Boolean = wire.takenOutput >= outputBefore

  /** The reply to the request with the content that is not complete is due next: all earlier ones are written. */
  def replyIsDue(): Unit = if (outputBefore == Long.MaxValue) outputBefore = outputNow

  private def outputNow: Long = wire.takenOutput + wire.pendingOutput + context.writer.length

  // Of the last read of content that was given up: what was left of the client's time, and what had been delivered.
  private var bodyLeft      = 0L
  private var deliveredThen = -1L

  /** Begins to read the content of the request with that head. */
  def beginContent(head: RequestView, owner: BodyOwner): BodyReader = {
    val config = context.config
    if (decoder == null) decoder = new ContentDecoder(config.maxHead, config.maxHeaders)
    decoder.begin(head, context.maxBody)
    body = new BodyReader(
      input,
      owner,
      context,
      if (head.chunked) -1 else head.contentLength,
      head.expectContinue,
      decoder
    )
    latest = body
    deliveredThen = -1
    outputBefore =
      if (state.server == SessionState.Free) outputNow
      else Long.MaxValue // replies that are not written yet come before it
    body
  }

  /** Whether content that has not arrived is being waited for. */
  def isContentWanted: Boolean = body != null && (body.isDropping || body.isWanted)

  /** Whether content is to come, or has come, that nobody waits for. */
  def isContentUnread: Boolean = body != null && !body.isDropping && !body.isWanted

  /** A reader begins to wait for content: the client has `bodyTimeout` to send some. */
  def contentWanted(): Unit = if (body != null) {
    if (body.isLeftInWindow) wire.offerAgain()
    waitForContent(wire.nowNanos)
  }

  /** Whether all the rest of the content has come, and waits to be read. */
  def hasLast: Boolean = body != null && !body.isDropping && body.isLeftWhole

  /**
   * Whether to continue reading, although nothing can be used now, to notice that the client ends its side or is gone.
   * Not once it has sent something behind its last request, behind content that nobody reads, or behind as many requests
   * as may be in progress, nor where much of that content waits: it must wait, too.
   *
   * @param isOwed whether a reply is due
   * @param isBehind whether bytes wait already that are not used yet, or output that the client has not taken
   */
  def watchesForEnd(isOwed: Boolean, isBehind: Boolean): Boolean =
    isOwed && (
      if (state.isClosed) !input.hasExcess
      else if (state.readsHeads) !isBehind && !context.memory.isTight
      else body != null && !body.isDropping && body.mayArrive
    )

  /**
   * The client will send no more. Content that has arrived can still be read.
   *
   * @param isContentKept whether all the rest of the content will still be passed
   */
  def peerEnded(isContentKept: Boolean): Unit = if (isContentKept) state.on(SessionState.AllSent) else stop()

  /** The reader that waited has given up. If nothing has been delivered until there is one again, it has what is left. */
  def contentUnwanted(): Unit = {
    bodyLeft = deadline - wire.nowNanos
    deliveredThen = body.deliveredBytes
  }

  private def waitForContent(now: Long): Unit = {
    body.waitBegins(now)
    val isWaitedOn = !body.isDropping && body.deliveredBytes == deliveredThen
    deadline = now + (if (isWaitedOn) math.max(0, bodyLeft) else context.bodyNanos)
  }

  /** Delivers the content in the window to its reader. Returns false if more bytes are needed first. */
  def feed(): Boolean = {
    val b   = body
    val fed = b.feed()
    if (body eq b) progress()
    fed
  }

  /** Drops the content in the window. Returns false if more bytes are needed, or there was too much to drop. */
  def drop(): Boolean = !input.isEmpty && {
    val b = body
    b.waitEnds(wire.nowNanos)
    val done = b.drop()
    if (!done) {
      progress()
      if (b.droppedBytes > context.config.maxUnreadBody || b.keepsTrailers) stop()
    }
    done
  }

  /** Some content has arrived, and more is to come. */
  private def progress(): Unit =
    if (body.isTooSlow(context.config.minBodyRate.toLong, context.bodyGraceNanos)) contentTooSlow()
    else {
      val now = wire.nowNanos
      if (isContentWanted) body.waitBegins(now)
      deadline = now + context.bodyNanos
    }

  /** The content that is waited for does not arrive, or too slowly. */
  private def contentTooSlow(): Unit = {
    context.counts.timeouts += 1
    if (state.isDropping) stop()
    else body.fail(HttpError(Status.RequestTimeout, "the body of the request took too long"))
  }

  /** All of the content has been read. */
  @inline def contentEnded(): Unit = {
    body = null
    state.on(SessionState.ContentEnded)
  }

  /** The reply to that content's request is complete: the rest will not be read. */
  @inline def leave(left: BodyReader): Unit = {
    if (latest eq left) latest = null
    if (body eq left) leaveUnread(left)
  }

  @noinline private def leaveUnread(left: BodyReader): Unit = {
    if (left.isLeftInWindow) wire.offerAgain() // otherwise only once more has come
    left.leave()
    state.on(SessionState.ContentLeft)
    if (!state.isDropping) body = null
    else if (left.keepsTrailers) stop()
    else waitForContent(wire.nowNanos)
    left.failRead()
  }

  /** Stops reading requests and content. */
  def stop(): Unit = {
    state.on(SessionState.ReadingEnds)
    parser = null
    if (body != null) {
      body.leave()
      body = null
    }
    abandonContent()
  }

  private def abandonContent(): Unit = if (decoder != null) decoder.abandon()

  /** The connection has ended: content that a handler still reads will not arrive. */
  def end(): Unit = {
    parser = null
    deadline = Long.MaxValue
    if (body != null) body.leave()
    abandonContent()
  }

  /** The same after an exception: the last request may be in no queue, and so not dropped yet. */
  def abort(): Unit = {
    end()
    if (latest != null) {
      latest.release()
      latest.fail(new ConnectionLost)
    }
  }

  // time

  /**
   * The deadline has passed: ends what the client was to send, or puts off its end. Returns the error with which an
   * incomplete head is to be refused; null if there is none.
   *
   * @param wantsInput whether the rest of a head could be read. If not, as reading was paused, its time begins anew
   * @param isIdle whether no request is in progress, and nothing waits to be written
   */
  def deadlinePassed(wantsInput: Boolean, isIdle: Boolean): HttpError = {
    if (state.isInHead && !wantsInput) deadline = wire.nowNanos + context.headNanos
    else if (hasBegunHead) {
      context.counts.timeouts += 1
      return RequestReader.tooSlow
    } else if (state.isInHead) stop()
    else if (state.hasContent) { if (isContentWanted) contentTooSlow() else body.watch() }
    else if (isIdle) if (wire.handshakeProceeds()) idleAgain() else stop()
    null
  }

  // idle connections

  /** The idle time begins anew; in a drain it is that for a request on its way. */
  def idleAgain(): Unit = {
    idleSince = wire.nowNanos
    deadline = idleDeadline
  }

  /** The loop's idle timeout has changed. */
  def idleTimeoutChanged(): Unit = if (idleSince != RequestReader.Busy) deadline = idleDeadline

  private def idleDeadline: Long =
    idleSince + (if (state.isDraining) context.config.drainGrace.toNanos else context.idleNanos)

  /** A turn has ended, which began at `now`: sets the deadline. Those of handlers are in their exchanges. */
  def settleDeadline(now: Long): Unit =
    if (state.isIdle && wire.pendingOutput == 0)
      if (state.isDraining) {
        if (idleSince == RequestReader.Busy) idleSince = now
        deadline = idleDeadline
      } else {
        idleSince = now
        deadline = now + context.idleNanos
      }
    else {
      idleSince = RequestReader.Busy
      // otherwise set when the head began, or when content was read
      if (!state.isInHead && !isContentWanted)
        deadline = if (body == null) Long.MaxValue else body.watchAt(now)
    }
}

private[session] object RequestReader {
  private final val Busy = Long.MinValue

  private val tooSlow = HttpError(Status.RequestTimeout, "the head of the request took too long")

  val cutOff = HttpError(Status.BadRequest, "the request ended before its body did")
}
