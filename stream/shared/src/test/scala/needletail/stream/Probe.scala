package needletail.stream

import needletail.async.{Async, AsyncPromise, Loop}

/**
 * A source that checks how it is used: one outstanding `next`, none after the end, and how often it was cancelled.
 *
 * @param pending whether each element comes in the loop's next turn, not at once
 * @param ending  what comes after the elements: None for the end, a failure, or never anything
 */
final class Probe[A](elements: Seq[A], pending: Boolean = false, ending: Probe.Ending = Probe.End)
    extends Stream[A] {
  var cancelled                             = 0
  var passed                                = 0
  var ended                                 = false
  var misuse: List[String]                  = Nil
  private var outstanding: Async[Option[A]] = null

  def next(): Async[Option[A]] = {
    if (outstanding != null && !outstanding.isCompleted) misuse ::= "next while one is outstanding"
    if (cancelled > 0) misuse ::= "next after cancel"
    outstanding =
      if (pending && Loop.currentOrNull != null) Async.yieldNow.flatMap(_ => answer()) else answer()
    outstanding
  }

  private def answer(): Async[Option[A]] =
    if (passed < elements.size) {
      passed += 1
      Async.value(Some(elements(passed - 1)))
    } else
      ending match {
        case Probe.End     => ended = true; Async.value(None)
        case Probe.Fail(e) => ended = true; Async.fail(e)
        case Probe.Never   => new AsyncPromise[Option[A]]
      }

  def cancel(): Unit = {
    if (ended) misuse ::= "cancel after the end"
    cancelled += 1
  }
}

object Probe {
  sealed trait Ending
  case object End                     extends Ending
  case object Never                   extends Ending
  final case class Fail(e: Throwable) extends Ending
}
