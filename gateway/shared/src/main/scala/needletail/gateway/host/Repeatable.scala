package needletail.gateway.host

import scala.util.{Failure, Success}

import needletail.async.{Async, Loop}
import needletail.gateway.host.backend.Backend
import needletail.gateway.host.upstream.PeerLost
import needletail.http.ByteStream

/**
 * A request without content whose method is safe: if the connection is lost before any of the response has arrived,
 * the request is repeated (RFC 9110 section 9.2.2), at most twice, on a new connection and to another server if
 * there is one. A server may have closed a kept connection before the request arrived, and processes may end by
 * themselves, as PHP's do after a number of requests. The time until then is not the next server's: it counts as time in
 * which that one was not heard.
 *
 * @param repeat sends the request anew; called after a loss
 */
private[host] final class Repeatable(first: Backend, repeat: () => Async[Backend]) extends Backend {
  private val began         = Loop.nanoTime()
  private var present       = first
  private var unheardBefore = 0L // until the present one had the request, less what it was not heard by then
  private var isBetween                 = false // whether none has the request
  private var repeating: Async[Backend] = null  // the last repetition
  private var inputEnd                  = false
  private var stopped                   = false
  private var repeats                   = 0

  override def isHeard: Boolean   = !isBetween && present.isHeard
  def hasEnded: Boolean           = present.hasEnded
  override def unheardNanos: Long =
    if (isBetween) Loop.nanoTime() - began else unheardBefore + present.unheardNanos
  def write(bytes: Array[Byte]): Async[Unit] = present.write(bytes)
  def endInput(): Unit                       = {
    inputEnd = true
    present.endInput()
  }
  def stop(): Unit = {
    stopped = true
    if (repeating != null) repeating.cancel() // nobody would end what it begins
    present.stop()
  }

  val output: ByteStream = new ByteStream {
    def next(): Async[Option[Array[Byte]]] = {
      val asked = present
      asked.output.next().transform {
        case Failure(_: PeerLost) if repeats < Repeatable.Most && !stopped && asked.isUnused =>
          repeats += 1
          isBetween = true
          repeating = repeat()
          repeating.flatMap { again =>
            unheardBefore = Loop.nanoTime() - began - again.unheardNanos
            isBetween = false
            present = again
            if (stopped) again.stop() else if (inputEnd) again.endInput()
            next()
          }
        case Success(piece) => Async.value(piece)
        case Failure(e)     => Async.fail(e)
      }
    }
    def cancel(): Unit = present.output.cancel()
  }
}

private object Repeatable {
  private final val Most = 2
}
