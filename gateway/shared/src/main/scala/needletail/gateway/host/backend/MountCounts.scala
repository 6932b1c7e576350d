package needletail.gateway.host.backend

import java.util.concurrent.atomic.LongAdder

import needletail.async.Semaphore
import needletail.http.message.{HttpError, Status}

/**
 * The counters of one mounted host. May be used by any thread.
 *
 * @param processes how many processes of this program run, and how many restarts there were
 */
private[host] final class MountCounts(
    val name: String,
    val kind: String,
    val slots: Semaphore,
    val processes: () => Option[(Int, Int)]
) {
  private val entered   = new LongAdder
  private val byReason  = Array.fill(MountCounts.reasons.length)(new LongAdder)
  private val gateway   = new LongAdder
  private val timedOuts = new LongAdder

  def requests: Double              = entered.sum.toDouble
  def refusals(reason: Int): Double = byReason(reason).sum.toDouble
  def broken: Double                = gateway.sum.toDouble
  def late: Double                  = timedOuts.sum.toDouble

  def begun(): Unit              = entered.increment()
  def refused(reason: Int): Unit = byReason(reason).increment()

  /** Counts a request that had no response, or none in time; other failures are the client's. */
  def failed(cause: Throwable): Unit = cause match {
    case e: HttpError if e.status eq Status.BadGateway         => gateway.increment()
    case e: HttpError if e.status eq Status.GatewayTimeout     => timedOuts.increment()
    case e: HttpError if e.status eq Status.ServiceUnavailable => refused(MountCounts.Overloaded)
    case _                                                     => ()
  }
}

private[host] object MountCounts {

  // Why a request was refused
  final val QueueFull  = 0 // the queue is full
  final val QueueTime  = 1 // it has waited too long
  final val System     = 2 // the system has no process, memory or descriptor for another program
  final val Overloaded = 3 // the server that was asked reports overload
  final val SpoolFull  = 4 // no room for its body beside others

  val reasons: Array[String] = Array("queue_full", "queue_timeout", "system", "overloaded", "spool_full")
}
