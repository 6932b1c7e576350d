package needletail.async

/**
 * What one thread has still to tell to observers, so that neither a long chain of them nor a deep recursion
 * through `flatMap` needs stack.
 *
 * Whoever settles a [[Pending]] puts it here; the first to do so runs the queue until it is empty, and what
 * is settled meanwhile waits its turn. Functions called on completed values run at once, to a bounded depth.
 */
private[async] final class Trampoline {
  import Trampoline._

  private var ring: Array[Pending[_]] = new Array(Smallest) // its length is a power of two
  private var head                    = 0
  private var count                   = 0
  private var depth                   = 0
  private var draining                = false

  /** Has `node` take its turn: at once when nothing else is under way, else after what waits already. */
  def push(node: Pending[_]): Unit = {
    append(node)
    if (!draining) drain()
  }

  /** `f(a)`, at once or, where the recursion is deep already, a little later. Never throws a non-fatal error. */
  def call[A, B](f: A => Async[B], a: A): Async[B] =
    if (depth >= Deepest) {
      val node = new FlatMapped[A, B](f)
      node.source = new Value(a)
      append(node)
      node
    } else {
      depth += 1
      val called =
        try nonNull(f(a))
        catch { case Survivable(e) => new Failed(e) }
        finally depth -= 1
      // what was put off goes on from here, where the stack is shallow again
      if (depth == 0 && count > 0 && !draining) {
        drain()
        val result = called.resultOrNull
        if (result != null) result else called
      } else called
    }

  private def append(node: Pending[_]): Unit = {
    if (count == ring.length) resize(count * 2)
    ring((head + count) & (ring.length - 1)) = node
    count += 1
  }

  private def drain(): Unit = {
    draining = true
    try
      while (count > 0) {
        val node = ring(head)
        ring(head) = null
        head = (head + 1) & (ring.length - 1)
        count -= 1
        node.takeTurn()
      }
    finally draining = false
    if (ring.length > LargestKept) { ring = new Array(Smallest); head = 0 }
  }

  private def resize(size: Int): Unit = {
    val larger = new Array[Pending[_]](size)
    val toEnd  = ring.length - head
    System.arraycopy(ring, head, larger, 0, toEnd)
    System.arraycopy(ring, 0, larger, toEnd, count - toEnd)
    ring = larger
    head = 0
  }
}

private[async] object Trampoline {
  private final val Smallest    = 16
  private final val LargestKept = 4096

  /** Calls nested on completed values before they are put off: some tens of kilobytes of stack. */
  private final val Deepest = 128

  private val all = new ThreadLocal[Trampoline] {
    override def initialValue(): Trampoline = new Trampoline
  }

  def here: Trampoline = all.get()

  def nonNull[A](async: Async[A]): Async[A] =
    if (async != null) async
    else new Failed(new NullPointerException("a function answered null for an Async"))

  /** Where an exception goes that no result can carry: to the loop, which logs it, or to the thread's handler. */
  def report(error: Throwable): Unit = {
    val loop = Loop.currentOrNull
    if (loop != null) loop.execute(() => throw error)
    else {
      val thread = Thread.currentThread
      thread.getUncaughtExceptionHandler match {
        case null    => throw error
        case handler => handler.uncaughtException(thread, error)
      }
    }
  }
}
