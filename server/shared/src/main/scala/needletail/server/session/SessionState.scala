package needletail.server.session

/**
 * The state of one HTTP/1.1 connection: what is being read from the client, and whether replies are due. All
 * transitions are in one table (`SessionState.table`). An event that the table does not allow in the current state
 * throws IllegalStateException, which ends the connection.
 *
 * It has no bytes and no clock: a [[ServerSession]] reports the events and asks what is allowed.
 */
private[server] final class SessionState {
  import SessionState._

  /** The client's and the server's state in one number, an index into the table. */
  private var at: Int = pair(Idle, Free)

  /** The next request is the connection's last: the server stops, or only one request is served. */
  var isDraining: Boolean = false

  /** Streams that only wait for events end: the whole server stops, or the client has probably gone. */
  var endsEvents: Boolean = false

  /** Changes the state as the table says. Throws IllegalStateException if the event is not allowed in this state. */
  @inline def on(event: Int): Unit = {
    val next = table((event << ClientShift) | at)
    if (next < 0) illegal(event)
    at = next
  }

  /** A request has been read. `isLast`: whether the client will send no other. */
  @inline def requested(hasContent: Boolean, isLast: Boolean): Unit =
    // without content and on an idle connection, which is the usual case, the table leaves the state as it is
    if (hasContent || isLast || isDraining || at > Replying)
      requestedOtherwise(hasContent, isLast || isDraining)

  private def requestedOtherwise(hasContent: Boolean, isLast: Boolean): Unit =
    on(
      if (hasContent) if (isLast) LastRequestWithContent else RequestWithContent
      else if (isLast) LastRequest
      else Request
    )

  /** A turn has ended. */
  @inline def turnEnded(): Unit =
    // the table leaves the state as it is as long as there may be another request
    if (at >= LastContentFrom) on(TurnEnds)

  /** Whether a head, or the rest of one, may be read. */
  @inline def readsHeads: Boolean = at < HeldFrom

  def isHeld: Boolean = client == Held

  /** Whether the last request asks for another protocol, which may follow its reply. */
  def isAsking: Boolean = client == Asking || client == LastAsking

  /** Whether a part of a head has arrived. */
  def isInHead: Boolean = client == Head

  /** Whether content of the last request is still to come. */
  def hasContent: Boolean = at >= DroppedFrom && at < LastAskingFrom

  /** Whether content is to come that will not be read. */
  def isDropping: Boolean = client == Dropped

  /** No further request will be read. */
  def isLastRequest: Boolean = at >= LastContentFrom

  /** Nothing more will be read. */
  def isClosed: Boolean = at >= ClosedFrom

  /** Whether the connection has been ended. */
  @inline def isEnded: Boolean = (at & ServerMask) == Ended

  /** Whether no reply is due, and nothing of a request has arrived. */
  @inline def isIdle: Boolean = at == IdleAndFree

  /**
   * Whether another request may follow a reply.
   *
   * @param isLastReply whether no other reply is due after it
   */
  def mayKeep(isLastReply: Boolean): Boolean = !isLastReply || !isDraining && !isLastRequest

  /** One of the client's states. */
  def client: Int = at >> ServerBits

  /** One of the server's states. */
  def server: Int = at & ServerMask

  @noinline private def illegal(event: Int): Unit =
    throw new IllegalStateException(s"${eventNames(event)} while the connection is $this")

  override def toString: String = s"${clientNames(client)}/${serverNames(server)}"
}

private[server] object SessionState {

  // The client's states: what is being read.

  /** Nothing of a request has arrived. */
  final val Idle = 0

  /** A part of a head has arrived. */
  final val Head = 1

  /** A complete head must wait for the replies before it; its bytes are not used yet. */
  final val Held = 2

  /** The last request asks for another protocol: nothing after it is read before its reply. */
  final val Asking = 3

  /** Content is to come that will not be read. */
  final val Dropped = 4

  /** Content is to come. */
  final val Content = 5

  /** Content is to come of the last request on this connection. */
  final val LastContent = 6

  /** The last request on this connection asks for another protocol. */
  final val LastAsking = 7

  /** Nothing more is read. */
  final val Closed = 8

  private[server] final val Clients = 9

  // The server's states: what is due to the client.

  /** No reply is due. */
  final val Free = 0

  /** Replies are due. */
  final val Replying = 1

  /** The connection has been ended, or was lost. */
  final val Ended = 2

  // Events.

  /** A head has begun and is not complete. */
  final val HeadBegan = 0

  /** A complete head must wait. */
  final val HeadWaits = 1

  /** Bytes have arrived, or a reply has made room: what waited may be checked again. */
  final val RoomAgain = 2

  /** A request without content. */
  final val Request = 3

  /** The same, and the client will send no other. */
  final val LastRequest = 4

  /** A request whose content follows. */
  final val RequestWithContent = 5

  /** The same, and the client will send no other. */
  final val LastRequestWithContent = 6

  /** The content is complete. */
  final val ContentEnded = 7

  /** The reply is complete before the content is: the rest will not be read. */
  final val ContentLeft = 8

  /** Nothing more is to be read, whatever was being read. */
  final val ReadingEnds = 9

  /** A reply was added to the queue. */
  final val ReplyOwed = 10

  /** The queue of replies is empty. */
  final val RepliesEnd = 11

  /** The head of the connection's last reply has been written. */
  final val LastReply = 12

  /** A turn has ended. */
  final val TurnEnds = 13

  /** The connection is lost, or is cut off. */
  final val Lost = 14

  /** A request asks for another protocol. */
  final val UpgradeAsked = 15

  /** The connection has been handed over to another protocol. */
  final val Switched = 16

  /** The client has sent all of its last request, whose content is still to be read. */
  final val AllSent = 17

  private[server] final val Events = 18

  private final val ServerBits  = 2
  private final val ServerMask  = 3
  private final val ClientShift = 6

  // Constants, as natively a call of `pair` first checks that this object has been initialised
  private final val IdleAndFree     = (Idle << ServerBits) | Free
  private final val HeldFrom        = Held << ServerBits
  private final val DroppedFrom     = Dropped << ServerBits
  private final val LastContentFrom = LastContent << ServerBits
  private final val LastAskingFrom  = LastAsking << ServerBits
  private final val ClosedFrom      = Closed << ServerBits

  /** Not allowed. */
  private final val No = -1

  @inline private def pair(client: Int, server: Int): Int = (client << ServerBits) | server

  /** By event, client's state and server's state: the next pair of states, or a negative number. */
  private val table: Array[Byte] = {
    val next = Array.fill[Byte](Events << ClientShift)(No.toByte)

    // The next states of the client, in the order of its states, and of the server's Free and Replying.
    def row(event: Int)(clients: Int*)(servers: Int*): Unit =
      for (client <- 0 until Clients) {
        for (server <- servers.indices if clients(client) != No && servers(server) != No)
          next((event << ClientShift) | pair(client, server)) = pair(clients(client), servers(server)).toByte
        // an ended connection stays so, whatever its handlers still do
        next((event << ClientShift) | pair(client, Ended)) = pair(Closed, Ended).toByte
      }

    // from          Idle, Head, Held, Asking, Dropped, Content, LastContent, LastAsking, Closed     Free, Replying
    row(HeadBegan)(Head, No, No, No, No, No, No, No, No)(Free, Replying)
    row(HeadWaits)(Held, Held, No, No, No, No, No, No, No)(No, Replying)
    row(RoomAgain)(Idle, Head, Idle, Asking, Dropped, Content, LastContent, LastAsking, Closed)(
      Free,
      Replying
    )
    row(Request)(Idle, Idle, No, No, No, No, No, No, No)(Free, Replying)
    row(LastRequest)(Closed, Closed, No, No, No, No, No, No, No)(Free, Replying)
    row(RequestWithContent)(Content, Content, No, No, No, No, No, No, No)(Free, Replying)
    row(LastRequestWithContent)(LastContent, LastContent, No, No, No, No, No, No, No)(Free, Replying)
    row(ContentEnded)(No, No, No, No, Idle, Idle, Closed, No, No)(Free, Replying)
    row(ContentLeft)(No, No, No, No, No, Dropped, Closed, No, No)(Free, Replying)
    row(ReadingEnds)(Closed, Closed, Closed, Closed, Closed, Closed, Closed, Closed, Closed)(Free, Replying)
    row(ReplyOwed)(Idle, Head, Held, Asking, Dropped, Content, LastContent, LastAsking, Closed)(
      Replying,
      Replying
    )
    row(RepliesEnd)(Idle, Head, Idle, Idle, Dropped, Content, LastContent, Closed, Closed)(Free, Free)
    row(LastReply)(Closed, Closed, Closed, Closed, Closed, LastContent, LastContent, Closed, Closed)(
      Free,
      Replying
    )
    row(TurnEnds)(Idle, Head, Held, Asking, Dropped, Content, LastContent, LastAsking, Closed)(Free, Replying)
    row(UpgradeAsked)(Asking, No, No, No, No, No, No, No, LastAsking)(No, Replying)
    row(Switched)(No, No, No, Closed, No, No, No, Closed, No)(No, Ended)
    row(AllSent)(No, No, No, No, No, LastContent, LastContent, No, No)(Free, Replying)
    row(Lost)(Closed, Closed, Closed, Closed, Closed, Closed, Closed, Closed, Closed)(Ended, Ended)

    // what follows from both states: no reply is due, and there will be no other request
    next((TurnEnds << ClientShift) | pair(Closed, Free)) = pair(Closed, Ended).toByte
    next((TurnEnds << ClientShift) | pair(LastContent, Free)) = pair(Closed, Ended).toByte
    next
  }

  private val clientNames =
    Array("Idle", "Head", "Held", "Asking", "Dropped", "Content", "LastContent", "LastAsking", "Closed")
  private val serverNames = Array("Free", "Replying", "Ended")
  private val eventNames  = Array(
    "HeadBegan",
    "HeadWaits",
    "RoomAgain",
    "Request",
    "LastRequest",
    "RequestWithContent",
    "LastRequestWithContent",
    "ContentEnded",
    "ContentLeft",
    "ReadingEnds",
    "ReplyOwed",
    "RepliesEnd",
    "LastReply",
    "TurnEnds",
    "Lost",
    "UpgradeAsked",
    "Switched",
    "AllSent"
  )
}
