package needletail.async

/**
 * An observer that can be used again, and that can lose interest: for servers, whose exchange object is one.
 *
 * To withdraw is not to cancel: what a handler answered may be shared with others, as from a cache, and goes on
 * for them. It listens to one value at a time.
 */
private[needletail] abstract class Listener[A] extends Pending[Nothing] {
  private var source: Pending[A] = null

  /** Called once for each `listen` that was not withdrawn. What it throws goes to the loop, which logs it. */
  def completed(result: Result[A]): Unit

  /** Has `completed` called when `async` is complete, before this returns if it is now. */
  final def listen(async: Async[A]): Unit = {
    if (source != null) throw new IllegalStateException("this listens already")
    val result = async.resultOrNull
    if (result != null) tell(result)
    else {
      source = async.asInstanceOf[Pending[A]].open
      source.attach(this)
    }
  }

  final def isListening: Boolean = source != null

  /** No longer interested: `completed` will not be called, and what nobody else observes is cancelled. May be repeated. */
  final def withdraw(): Unit = if (source != null) {
    val left = source
    source = null
    left.withdraw(this)
  }

  final override private[async] def settled(result: Result[Any]): Unit =
    if (source != null) { // else withdrawn while the result was on its way
      source = null
      tell(result.asInstanceOf[Result[A]])
    }

  private def tell(result: Result[A]): Unit =
    try completed(result)
    catch { case Survivable(e) => Trampoline.report(e) }
}
