package needletail.async

/**
 * An observer that can be reused and can withdraw: for servers, whose exchange object is one.
 *
 * Withdrawing does not cancel: a handler's answer may be shared, as from a cache, and continues for its other
 * observers. It listens to one value at a time.
 */
private[needletail] abstract class ResultListener[A] extends Pending[Nothing] {
  private var source: Pending[A] = null

  /** Called once for each `listen` that was not withdrawn. Its exceptions go to the loop, which logs them. */
  def completed(result: Result[A]): Unit

  /** Calls `completed` when `async` is complete; before returning if it already is. */
  final def listen(async: Async[A]): Unit = {
    if (source != null) throw new IllegalStateException("there already is a listener")
    val result = async.resultOrNull
    if (result != null) tell(result)
    else {
      source = async.asInstanceOf[Pending[A]].open
      source.attach(this)
    }
  }

  final def isListening: Boolean = source != null

  /**
   * Stops listening: `completed` will not be called, and a value without other observers is cancelled. May be called
   * more than once.
   */
  final def withdraw(): Unit = if (source != null) {
    val left = source
    source = null
    left.withdraw(this)
  }

  final override private[async] def settled(result: Result[Any]): Unit =
    if (source != null) { // otherwise withdrawn while the result was being delivered
      source = null
      tell(result.asInstanceOf[Result[A]])
    }

  private def tell(result: Result[A]): Unit =
    try completed(result)
    catch { case Survivable(e) => Trampoline.report(e) }
}
