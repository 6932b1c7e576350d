package needletail.http

import java.lang.ref.WeakReference
import java.util.concurrent.atomic.AtomicLong

import needletail.async.{Rejected => NoRoom}

/**
 * What a server has to know of a kind of request in order to limit and to count it: all requests of one route are
 * one kind.
 *
 * @param method as metrics name it; `*` for any
 * @param template the path with its variable parts named, `/orders/{id}`: few different texts, whatever is asked for
 * @param adaptive may the server find a limit for it by itself?
 */
private[needletail] final class RouteClass(
    val method: String,
    val template: String,
    val priority: Priority = Priority.Normal,
    val adaptive: Boolean = true
) {

  /**
   * The place of this class in a loop's table. Those only get one that have had a request, and it is given to another
   * when nobody has this class any more; so a table has to look at the `serial` too.
   */
  @volatile private var place: Int = -1

  /** Unlike any other's; set with the place. */
  var serial: Long = 0

  def index: Int = {
    val i = place
    if (i >= 0) i else takePlace()
  }

  private def takePlace(): Int = synchronized {
    if (place < 0) {
      serial = RouteClass.serials.incrementAndGet()
      place = RouteClass.places.take(this)
    }
    place
  }

  /** One that says the same, for who is not to keep this one. */
  def twin: RouteClass = new RouteClass(method, template, priority, adaptive)

  override def toString: String = if (template.isEmpty) method else s"$method $template"

  /** As logs name it; none where it says nothing of a request. */
  def label: Option[String] =
    if (method.isEmpty || (method == "*" && template == "*")) None else Some(toString)
}

private[needletail] object RouteClass {
  private val serials = new AtomicLong
  private val places  = new Places

  /** As many as the most classes that there were at once, and half as many again. */
  private[http] def placesTaken: Int = places.size

  /** Places by number, each for as long as there is somebody who has its owner. */
  private final class Places {
    private var owners = new Array[WeakReference[RouteClass]](64)
    private var free   = List.range(0, 64)

    def size: Int = synchronized(owners.length)

    def take(owner: RouteClass): Int = synchronized {
      if (free.isEmpty) {
        free = owners.indices.filter(i => owners(i).get == null).toList
        if (free.length < owners.length / 4) {
          val more = owners.length until owners.length * 3 / 2
          owners = java.util.Arrays.copyOf(owners, more.end)
          free = free ++ more
        }
      }
      val place = free.head
      free = free.tail
      owners(place) = new WeakReference(owner)
      place
    }
  }

  /** What no route answered: not found, malformed, of a wrong method. */
  val unmatched: RouteClass = new RouteClass("", "")

  /** What a handler answered that is no route. */
  val handler: RouteClass = new RouteClass("*", "*")
}

/** Why a request was refused: what it is counted under, what its answer says, and in which field. */
private[needletail] object Refusal {
  final val QueueDelay = 0 // it would have waited for the loop too long
  final val InFlight   = 1 // its route has as many under way as help
  final val Server     = 2 // the server as a whole has
  final val Bulkhead   = 3 // its route's own bulkhead is full
  final val QueueTime  = 4 // it waited in that bulkhead's queue for too long
  final val Memory     = 5 // connections hold as much memory as they may
  final val Mailbox    = 6 // an actor that it asked had no room for the question
  final val Threads    = 7 // there was no thread for its blocking work, nor room to wait for one
  final val Rejected   = 8 // something else had no room

  private val reasons = Array(
    "queue_delay"      -> "the event loop has more to do than it can in the time a request may wait",
    "in_flight"        -> "this route has as many requests under way as are answered in time",
    "server"           -> "the server has as many requests under way as it may",
    "bulkhead"         -> "this route has as many requests under way as it may",
    "bulkhead_timeout" -> "the request has waited too long for others of its route",
    "memory"           -> "connections hold as much memory as they may",
    "mailbox"          -> "the mailbox of an actor is full",
    "threads"          -> "there is no thread for blocking work",
    "rejected"         -> "what the request needs is full"
  )

  /** As metrics and the field `Overload-Reason` name them. */
  val names: Array[String] = reasons.map(_._1)

  /** Seconds after which a client may try again; what a program sets (`OverloadConfig`) goes before. */
  final val RetryAfterSeconds = 1L

  /** The answers, by reason. Each is sent any number of times, so its head is rendered once. */
  def responses(retryAfterSeconds: Long): Array[Response] = reasons.map { case (name, text) =>
    Response(Status.ServiceUnavailable)
      .header("Retry-After", retryAfterSeconds.toString)
      .header("Overload-Reason", name)
      .text(s"too much to do: $text")
  }

  private val usual = responses(RetryAfterSeconds)

  /** The answer where no limiter is asked. */
  def response(reason: Int): Response = usual(reason)

  def of(failure: NoRoom): Int = failure.full match {
    case NoRoom.Mailbox => Mailbox
    case NoRoom.Threads => Threads
    case NoRoom.Other   => Rejected
  }
}

/**
 * A server's limiter as a router sees it, on one loop: asked once for each request, when its route is known and
 * before anything of it runs. The [[Head]] of a request has it.
 */
private[needletail] abstract class Gate {

  /** `null` lets it pass; [[Gate.hold]] has it call [[later]]; all else is the answer in place of the route's. */
  def enter(route: RouteClass): Response

  /** The same for a handler that is no router, but may turn out to call one, which is then to be asked for instead. */
  def enterHandler(route: RouteClass): Response

  /** Runs `body` as soon as there is room for it, or answers for the route when there is none. */
  def later(route: RouteClass, body: () => Reply): Reply

  /** A bulkhead has refused one that had passed; `reason` is one of [[Refusal]]. Answers what to say to it. */
  def refused(route: RouteClass, reason: Int): Response

  /** No route was found: a router answers the present request itself. */
  def unmatched(): Unit

  /** What the present request is known as by now. */
  def current: RouteClass

  /** A handler has failed, or a part of it: answers with what, and sees to it that those who run the server know. */
  def failed(request: Request, cause: Throwable): Response
}

private[needletail] object Gate {

  /** It may be that there is room soon. Never sent. */
  val hold: Response = Response(Status.ServiceUnavailable)

  /** Asks `gate`, null where nobody limits, and runs `body` if it may. */
  def admit(gate: Gate, route: RouteClass, body: () => Reply): Reply =
    if (gate == null) body() else go(gate, gate.enter(route), route, body)

  def admitHandler(gate: Gate, route: RouteClass, body: () => Reply): Reply =
    if (gate == null) body() else go(gate, gate.enterHandler(route), route, body)

  private def go(gate: Gate, refusal: Response, route: RouteClass, body: () => Reply): Reply =
    if (refusal == null) body() else if (refusal eq hold) gate.later(route, body) else refusal
}
