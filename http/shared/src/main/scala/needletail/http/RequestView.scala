package needletail.http

import needletail.http.admission.RouteClass
import needletail.http.http1.Head
import needletail.http.message.Parameters

/** What a [[Request]] is a view of: a parsed head, and what the server knows about the request. */
private[needletail] final class RequestView(lines: Int = 16) extends Head(lines) {

  /** Asked by routers before a route runs; null if nothing limits the request, as for a copy. */
  var gate: Gate = null

  /** The only thread that may read this, as the next head overwrites it; null for a copy, which any thread may read. */
  var owner: Thread = null

  /** The class by which a copy is limited and counted: the gate knows only the loop's current request. */
  var route: RouteClass = null

  /** A copy with bytes of its own, which are never reused, without gate and owner. */
  def copied: RequestView = {
    val c = new RequestView(0)
    copyTo(c)
    c.route = route
    c
  }
}

/** Fields that only some requests use. */
private[needletail] final class RequestExtras {
  var parsedQuery: Parameters = null

  /** The request that this one was made from; its gate applies to this one too. */
  var origin: Request = null

  /** The request that this one was made from at first; null if it is that itself. */
  var first: Request = null

  var reporter: Gate              = null
  var dress: Response => Response = null

  // The following are those of the first request, see `Request.shared`.

  var wasRefused: Boolean = false

  /** The time limit of its route, in nanoseconds; 0 for that of the server. */
  var ownLimit: Long = 0

  private var id: String            = null
  private var csrf: String          = null
  private var isOver                = false
  private var atEnd: List[Runnable] = Nil

  /** The connection as it is for the client, which is behind a proxy; null if that is not known. */
  @volatile var client: ConnectionInfo = null

  /** The name of the field that its id is passed on by; null if it is not. */
  @volatile var idField: String = null

  /** The id that the request has been given, by `make` if it has none yet. From any thread. */
  def idOr(make: => String): String = synchronized {
    if (id == null) id = make
    id
  }

  /** What the tokens against cross-site requests belong to; null if none has been made. */
  def csrfOrNull: String = synchronized(csrf)

  /** The same, made if there is none yet. From any thread. */
  def csrfOr(make: => String): String = synchronized {
    if (csrf == null) csrf = make
    csrf
  }

  /** Runs `task` when the request is over. */
  def onOver(task: Runnable): Unit = if (isOver) task.run() else atEnd = task :: atEnd

  def end(): Unit = {
    isOver = true
    val tasks = atEnd
    atEnd = Nil
    tasks.foreach(_.run())
  }
}
