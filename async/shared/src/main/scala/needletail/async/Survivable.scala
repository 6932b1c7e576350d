package needletail.async

/**
 * Everything that a callback may throw and the program goes on after: all but errors of the virtual machine itself,
 * such as `OutOfMemoryError`. A `StackOverflowError` is survivable, as the stack is free again where it is caught.
 *
 * `scala.util.control.NonFatal` is narrower: it lets linkage errors, interrupts, control-flow exceptions and stack
 * overflows pass, all of which user code throws, and none of which must cost other connections of a loop anything.
 */
private[needletail] object Survivable {
  def apply(e: Throwable): Boolean = e match {
    case _: StackOverflowError  => true
    case _: VirtualMachineError => false
    case _                      => true
  }

  def unapply(e: Throwable): Option[Throwable] = if (apply(e)) Some(e) else None
}
