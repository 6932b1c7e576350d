package needletail.async

/**
 * Every exception of a callback after which the program continues: all but errors of the virtual machine itself, such
 * as `OutOfMemoryError`. A `StackOverflowError` is survivable, as the stack is free again where it is caught; so is the
 * `InternalError` into which the JDK converts one while it links a lambda, and the `OutOfMemoryError` by which it says
 * that the system gives no further thread, as the heap has room then.
 *
 * `scala.util.control.NonFatal` is narrower: it does not match linkage errors, interrupts, control-flow exceptions
 * and stack overflows. User code throws all of these, and none of them may affect other connections of a loop.
 */
private[needletail] object Survivable {
  def apply(e: Throwable): Boolean = e match {
    case _: StackOverflowError  => true
    case e: InternalError       => e.getCause.isInstanceOf[StackOverflowError]
    case e: OutOfMemoryError    => e.getMessage != null && e.getMessage.startsWith(NoThread)
    case _: VirtualMachineError => false
    case _                      => true
  }

  private final val NoThread = "unable to create native thread"

  def unapply(e: Throwable): Option[Throwable] = if (apply(e)) Some(e) else None
}
