package needletail.conformance.harness

import java.util.concurrent.atomic.AtomicReference

/** What one side of a connection does while the test looks at the other. */
object Background {
  def run(name: String)(body: => Unit): Thread = {
    val thread = new Thread(() => body, name)
    thread.setDaemon(true)
    thread.start()
    thread
  }
}

/** The first failure of several threads. */
final class FirstFailure {
  private val first = new AtomicReference[Throwable]

  def keep(body: => Unit): Unit =
    try body
    catch { case failure: Throwable => first.compareAndSet(null, failure); () }

  def rethrow(): Unit = Option(first.get).foreach(throw _)
}
