package needletail.async

/**
 * An [[Async]] that was not complete when it was created.
 *
 * Its observers form a linked list of `Pending`s, so that `map` on a pending value costs exactly one object. An
 * observer is in one list at a time.
 */
private[async] abstract class Pending[A] extends Async[A] with Trampoline.Turn {

  /** Null while open, a [[Result]] when complete, otherwise the [[Derived]] that replaces this one: see there. */
  private[async] final var state: Async[_] = null

  // The observers: first.prev is the last of them, the last one's next is null.
  private var first: Pending[_] = null
  private var next: Pending[_]  = null
  private var prev: Pending[_]  = null

  /** Called when the source that this one observes has this result. */
  private[async] def settled(result: Result[Any]): Unit = ()

  private[async] def release(): Unit = ()

  final private[needletail] def resultOrNull: Result[A] = {
    val s = state
    if (s == null) null
    else if (s.isInstanceOf[Result[_]]) s.asInstanceOf[Result[A]]
    else resultOfStandIn
  }

  private def resultOfStandIn: Result[A] = {
    val answering = standIn
    val result    =
      if (answering.isInstanceOf[Result[_]]) answering else answering.asInstanceOf[Pending[A]].state
    result.asInstanceOf[Result[A]] // null if it has none
  }

  final def cancel(): Unit =
    if (state == null) cancelled()
    else if (!state.isInstanceOf[Result[_]]) state.asInstanceOf[Derived[_, _, _]].cancelReplaced()

  /** Called when this one has no observers left or is cancelled by its holder; it is open. */
  private[async] def cancelled(): Unit = abort(Result.cancelled)

  final private[async] def withdrawUnobserved(): Unit =
    if (state == null) { if (first == null) cancel() }
    else if (!state.isInstanceOf[Result[_]]) standIn.withdrawUnobserved()

  /**
   * What answers for this one, which was replaced: a result, or what has not been replaced itself. Observers that come and go
   * may have replaced many, one after the other.
   */
  private def standIn: Async[A] = {
    var node: Async[_]              = this
    var replacing: Derived[_, _, _] = null
    while ({
      replacing = node match {
        case pending: Pending[_] =>
          pending.state match {
            case derived: Derived[_, _, _] => derived
            case _                         => null
          }
        case _ => null
      }
      replacing != null
    }) node = replacing.source
    node.asInstanceOf[Async[A]]
  }

  /** This one, or the open one that replaced it. To be called while it has no result. */
  final private[async] def open: Pending[A] =
    if (state == null) this else standIn.asInstanceOf[Pending[A]]

  final private[async] def isOpen: Boolean = state == null

  /** Completes this one and calls its observers, unless it was complete already. */
  final private[async] def settle(result: Result[A]): Unit =
    if (state == null) {
      state = result
      if (first != null) Trampoline.here.push(this)
    }

  /** As `settle`, by a fatal error, which ends the loop: the end calls its observers. */
  final private[async] def settleAtEnd(fatal: Throwable): Unit =
    if (state == null) {
      state = new Failed(fatal)
      if (first != null) Trampoline.here.append(this)
    }

  /**
   * As `settle`, if it may still be waiting for something. When observers are called, and when this returns to who has
   * cancelled it, all that only this one waited for is complete as well; deep within another call of this, only when
   * that one returns.
   */
  final private[async] def abort(result: Result[A]): Unit =
    if (state == null) {
      state = result
      val trampoline = Trampoline.here
      try trampoline.release(this)
      finally if (first != null) trampoline.append(this) // also where a fatal error interrupts it
      trampoline.goOn()
    }

  /** Called by the trampoline: once complete, and for a node that was put there to be started. */
  final private[async] def takeTurn(): Unit =
    if (state == null) start()
    else {
      val result = resultOrNull
      while (first != null) {
        val observer = first
        detach(observer)
        try observer.settled(result)
        catch { case e: Throwable => interrupted(e) }
      }
    }

  /** By a fatal error, which ends the loop: the end calls the other observers. */
  private def interrupted(fatal: Throwable): Unit = {
    if (first != null) Trampoline.here.append(this)
    throw fatal
  }

  private[async] def start(): Unit = ()

  /** Adds an observer, which must be in no list; this one must be open. */
  final private[async] def attach(observer: Pending[_]): Unit =
    if (first == null) {
      first = observer
      observer.prev = observer
    } else {
      val last = first.prev
      last.next = observer
      observer.prev = last
      first.prev = observer
    }

  /** Removes `observer` from the list, if it is in it. */
  final private[async] def detach(observer: Pending[_]): Unit =
    if (observer.prev != null) {
      val after = observer.next
      if (observer eq first) {
        first = after
        if (after != null) after.prev = observer.prev
      } else {
        observer.prev.next = after
        if (after != null) after.prev = observer.prev else first.prev = observer.prev
      }
      observer.next = null
      observer.prev = null
    }

  /** Removes `observer`, which has withdrawn. If it was the last one, this is cancelled. */
  final private[async] def withdraw(observer: Pending[_]): Unit = {
    detach(observer)
    withdrawUnobserved()
  }

  final private[async] def isObserved: Boolean = first != null

  /** The observer if there is exactly one. */
  final private[async] def onlyObserver: Pending[_] =
    if (first != null && first.next == null) first else null

  override def toString: String = {
    val result = resultOrNull
    if (result == null) "Async(pending)" else result.toString
  }
}
