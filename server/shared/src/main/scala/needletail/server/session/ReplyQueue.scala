package needletail.server.session

import needletail.http.{RequestView, Response}
import needletail.server.exchange.{BodyReader, HeadMemory, ServerExchange}
import needletail.server.overload.AdmissionController

/**
 * The requests of one connection whose replies are in progress or wait for an earlier one, in the order of the
 * requests, in which HTTP/1.1 requires the replies (RFC 9112 §9.3.2). Reports to `state` whether any is left.
 *
 * @param heads the memory that requests in progress hold
 * @param admission counts the requests in flight
 */
private[server] final class ReplyQueue(
    state: SessionState,
    heads: HeadMemory,
    admission: AdmissionController
) {
  private var head: ServerExchange = null
  private var last: ServerExchange = null
  private var hasUnsafe: Boolean   = false

  /** How many there are. */
  var length: Int = 0

  /** The request whose reply comes next; null if there is none. */
  def first: ServerExchange = head

  @inline def isEmpty: Boolean = head == null

  /** Whether the reply that is to be written next is available. */
  @inline def isReady: Boolean = head != null && head.response != null

  def add(x: ServerExchange): Unit = {
    if (last == null) head = x
    else {
      last.next = x
      x.isBehind = true
    }
    last = x
    length += 1
    if (!x.isSafe) hasUnsafe = true
    state.on(SessionState.ReplyOwed)
  }

  /** The first one's reply is complete. */
  def pop(): Unit = {
    head = head.next
    length -= 1
    if (head == null) empty()
    else {
      if (head.response == null) head.leads() // otherwise when it is written
      state.on(SessionState.RoomAgain)
    }
  }

  private def empty(): Unit = {
    head = null
    last = null
    length = 0
    hasUnsafe = false
    state.on(SessionState.RepliesEnd)
  }

  /**
   * Whether that request must wait until the queue is empty. Only safe requests may be processed concurrently (RFC
   * 9112 §9.3.2), and 100 (Continue) can be written only if no other reply is due. When memory is tight, or many are in
   * flight, each connection has one request in progress; when there was no memory for the last reply, those that it has.
   */
  @inline def mustWait(request: RequestView): Boolean = head != null && mustWaitForHead(request)

  private def mustWaitForHead(request: RequestView): Boolean =
    hasUnsafe || !request.method.isSafe || request.expectContinue || heads.isTight || last.isCutShort ||
      admission.isHalfFull

  /** Bytes of replies that are held until those before them have been sent. */
  def waitingBytes: Long = {
    var n = 0L
    var x = head
    while (x != null) {
      n += x.waitingBytes
      x = x.next
    }
    n
  }

  /** Refusals take the place of replies that wait for others and hold memory. */
  def refuseWaiting(): Unit = {
    var x = head
    while (x != null) {
      if (x.isBehind && x.waitingBytes > 0) x.refuseForMemory()
      x = x.next
    }
  }

  /** The request with that content; null if it is not in the queue. */
  def ofBody(body: BodyReader): ServerExchange = {
    var x = head
    while (x != null && (x.body ne body)) x = x.next
    x
  }

  /** When replies that are not available are given up, once the client has ended its side; MaxValue before that. */
  var giveUpAt: Long = Long.MaxValue

  /** The earliest deadline; MaxValue if there is none. */
  def deadline: Long = Math.min(giveUpAt, handlerDeadline)

  /** The earliest deadline of a handler; MaxValue if none is waited for. */
  def handlerDeadline: Long = {
    var d = Long.MaxValue
    var x = head
    while (x != null) {
      if (x.isHandlers && x.deadline < d) d = x.deadline
      x = x.next
    }
    d
  }

  /** Whether a handler is waited for. */
  def isAtWork: Boolean = {
    var x = head
    while (x != null && !x.isHandlers) x = x.next
    x != null
  }

  /** Whether the handler is waited for that may read `body`. */
  def isAtWorkFor(body: BodyReader): Boolean = {
    val x = ofBody(body)
    x != null && x.isHandlers
  }

  /** Responds with `instead` for handlers whose deadline has passed. Returns how many there were. */
  def expireHandlers(now: Long, instead: Response): Int = {
    var expired = 0
    var x       = head
    while (x != null) {
      if (x.isHandlers && x.deadline <= now) {
        expired += 1
        x.expire(instead)
      }
      x = x.next
    }
    expired
  }

  /** Content has arrived for the handler that reads `body`: its time begins anew, `usual` or that of its route. */
  def extend(body: BodyReader, now: Long, usual: Long): Unit = {
    val x = ofBody(body)
    if (x != null) {
      val own = x.request.ownLimit
      x.deadline = now + (if (own > 0) own else usual)
      x.request.dueNanos = x.deadline
    }
  }

  /** The handler that reads `body` waits for content that has not arrived. */
  def awaitsClient(body: BodyReader): Unit = {
    val x = ofBody(body)
    if (x != null) x.awaitsClient()
  }

  /** It does not any more. */
  def awaitsClientNoMore(body: BodyReader): Unit = {
    val x = ofBody(body)
    if (x != null) x.awaitsClientNoMore()
  }

  /** The handler that reads `body` has waited for its client for so long in vain, which is not its own time. */
  def putOff(body: BodyReader, waited: Long): Unit = {
    val x = ofBody(body)
    if (x != null) {
      x.deadline += waited
      x.request.dueNanos = x.deadline
    }
  }

  /** What the replies have in the loop's writer was passed on: none can be replaced any more. */
  def handedOver(): Unit = {
    var x = head
    while (x != null) {
      x.mark = -1
      x = x.next
    }
  }

  /** Drops all requests. */
  def dropAll(): Unit = {
    val dropped = head
    empty()
    letGo(dropped)
  }

  /** Drops all requests except the first. */
  def dropOthers(): Unit = if (head != null) cut(head, 1)

  /**
   * Drops the first request without a reply, or with one of which nothing can be sent yet, and those after it. Returns
   * how many these are.
   */
  def dropUnanswered(): Int = {
    var before: ServerExchange = null
    var x                      = head
    var kept                   = 0
    while (x != null && x.response != null && !x.isHeld) {
      before = x
      x = x.next
      kept += 1
    }
    val dropped = length - kept
    if (x != null) if (before == null) dropAll() else cut(before, kept)
    dropped
  }

  private var silent: ServerExchange = null // the first at the last call of `isStillSilent`
  private var silentAt               = 0L   // and how much of its content had been sent

  /** Whether the first one's stream has had nothing to send since the last call, and still has not. */
  def isStillSilent(): Boolean = {
    val isSilent = head != null && (head eq silent) && head.isAwaiting && head.bytesSent == silentAt
    silent = head
    if (head != null) silentAt = head.bytesSent
    isSilent
  }

  private def cut(newLast: ServerExchange, newLength: Int): Unit = {
    val dropped = newLast.next
    newLast.next = null
    last = newLast
    length = newLength
    letGo(dropped)
  }

  private def letGo(from: ServerExchange): Unit = {
    var x = from
    while (x != null) {
      val next = x.next
      x.letGo()
      x = next
    }
  }
}
