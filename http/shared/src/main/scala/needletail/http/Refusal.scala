package needletail.http

import needletail.async.{Rejected => NoRoom}
import needletail.http.message.Status

/** The reasons for refusing a request, as in metrics and in the response. */
private[needletail] object Refusal {
  final val QueueDelay = 0 // it would have waited too long for the loop
  final val InFlight   = 1 // its route's adaptive limit of requests in flight is reached
  final val Server     = 2 // the whole server's limit of requests in flight is reached
  final val Bulkhead   = 3 // its route's bulkhead is full
  final val QueueTime  = 4 // it waited too long in the bulkhead's queue
  final val Memory     = 5 // the the memory for connections is used up
  final val Mailbox    = 6 // the mailbox of an actor it asked was full
  final val Threads    = 7 // no thread for its blocking work, and the queue for one was full
  final val Rejected   = 8 // another queue was full

  private val reasons = Array(
    "queue_delay"      -> "the request would have waited too long for its event loop",
    "in_flight"        -> "this route has reached its limit of requests in flight",
    "server"           -> "the server has reached its limit of requests in flight",
    "bulkhead"         -> "the bulkhead of this route is full",
    "bulkhead_timeout" -> "the request has waited too long in the bulkhead of its route",
    "memory"           -> "the memory for connections is used up",
    "mailbox"          -> "the mailbox of an actor is full",
    "threads"          -> "no thread for blocking work is free",
    "rejected"         -> "a queue that the request needs is full"
  )

  /** The names in metrics and in the field `Overload-Reason`. */
  val names: Array[String] = reasons.map(_._1)

  /** Seconds of Retry-After, unless `OverloadConfig` sets them. */
  final val RetryAfterSeconds = 1L

  /** The responses, by reason. They are sent many times, so the head of each is rendered once. */
  def responses(retryAfterSeconds: Long): Array[Response] = reasons.map { case (name, text) =>
    Response(Status.ServiceUnavailable)
      .header("Retry-After", retryAfterSeconds.toString)
      .header("Overload-Reason", name)
      .text(s"server overloaded: $text")
      .asRefusal
  }

  private val usual = responses(RetryAfterSeconds)

  /** The response if there is no server to configure it. */
  def response(reason: Int): Response = usual(reason)

  /** The reason for a failure of something that had no room. */
  def of(failure: NoRoom): Int = failure.full match {
    case NoRoom.Mailbox => Mailbox
    case NoRoom.Threads => Threads
    case NoRoom.Other   => Rejected
  }
}
