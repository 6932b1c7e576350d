package needletail.async

import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}
import java.util.concurrent.Executor

import scala.concurrent.duration._

/**
 * Limits on blocking work.
 *
 * @param threads        maximum of platform threads; each is started when there is work and none is idle
 * @param queue          tasks that may wait for one of those threads; one more is `Rejected`
 * @param idle           after how long without work such a thread ends
 * @param virtual        use virtual threads if the JVM has them (21 or later) instead of `threads` and `queue`
 * @param virtualThreads maximum of virtual threads; one more is `Rejected`
 */
final case class BlockingConfig(
    threads: Int = 64,
    queue: Int = 1024,
    idle: FiniteDuration = FiniteDuration(10, SECONDS),
    virtual: Boolean = true,
    virtualThreads: Int = 16384
) {
  private def check(): Unit = {
    val is = Setting("BlockingConfig")
    is.positive("threads", threads)
    is.positive("queue", queue)
    is.positive("idle", idle)
    is.positive("virtualThreads", virtualThreads)
  }
  check()
}

/**
 * Threads for work that blocks (JDBC, files, `Thread.sleep`), so that loops need not.
 *
 * `Async.blocking` uses a shared one; create another to keep one kind of work from using all threads. All threads are
 * daemon threads. Methods are to be called on a loop.
 */
final class Blocking private[async] (config: BlockingConfig, newThread: (Runnable, String) => Thread) {
  def this(config: BlockingConfig = BlockingConfig()) = this(config, new Thread(_, _))

  private val virtual = if (config.virtual) VirtualThreads.factory("needletail-blocking-") else null
  private val running = new AtomicInteger // works that have been accepted and have not ended

  private val pool: OnDemandThreads =
    if (virtual != null) null
    else new OnDemandThreads("needletail-blocking", config.threads, config.queue, config.idle, newThread)

  /**
   * Runs `body` on another thread and returns its value or exception on the calling loop.
   *
   * Fails with `Rejected`, in the loop's next turn, if there is no room, or if the system gives no thread. Cancelling
   * removes work that has not begun; work that has begun is interrupted if the platform supports it, and its result is
   * discarded.
   */
  def apply[A](body: => A): Async[A] = {
    val begun = startOrNull(body)
    if (begun != null) begun else Blocking.noRoom
  }

  /** The same, but null if there is no room, for callers that do something else then. */
  private[needletail] def startOrNull[A](body: => A): Async[A] = {
    val answer = new Blocking.Answer[A](Loop.current)
    val work   = new Blocking.Work[A](this, answer, () => body)
    answer.work = work
    val own = answer.loop.blockingThreads
    if (if (own == null) submit(work) else handOver(work, own)) {
      answer.loop.blockingWorkChanged(+1)
      answer
    } else null
  }

  /** Whether it uses virtual threads. */
  def usesVirtualThreads: Boolean = virtual != null

  /** The number of platform threads alive. */
  private[async] def threads: Int = if (pool == null) 0 else pool.size

  private def handOver(work: Runnable, own: Executor): Boolean = {
    running.incrementAndGet()
    own.execute(work)
    true
  }

  private def submit(work: Runnable): Boolean =
    if (virtual == null) {
      // the pool would start another thread although one is idle
      val isIdle   = running.getAndIncrement() < pool.size
      val isQueued = isIdle && pool.offer(work)
      try {
        if (!isQueued) pool.execute(work)
        else if (running.get > pool.size) pool.start() // it ended meanwhile
        true
      } catch {
        // no room, or the system gives no further thread; a thread may have taken it from the queue all the same
        case Survivable(_) => isQueued && !pool.remove(work) || refused()
      }
    } else if (running.incrementAndGet() > config.virtualThreads) {
      running.decrementAndGet()
      false
    } else
      try {
        virtual.newThread(work).start()
        true
      } catch { case Survivable(_) => refused() }

  private def refused(): Boolean = {
    running.decrementAndGet()
    false
  }

  private def remove(work: Runnable): Unit =
    if (pool != null && pool.remove(work)) ended()

  private def ended(): Unit = { running.decrementAndGet(); () }
}

/** The shared `Blocking` of `Async.blocking`. */
object Blocking {
  @volatile private var shared: Blocking = null

  /** The one that `Async.blocking` uses. */
  def default: Blocking = {
    val now = shared
    if (now != null) now
    else
      synchronized {
        if (shared == null) shared = new Blocking()
        shared
      }
  }

  /**
   * Makes `Async.blocking` use new threads with these settings from now on. Work that has begun ends on the old ones.
   */
  def configure(config: BlockingConfig): Unit = synchronized { shared = new Blocking(config) }

  /** The failure of work for which there is no room, in the loop's next turn. To be called on a loop. */
  private[needletail] def noRoom: Async[Nothing] =
    Refused.later(new Failed(new Rejected("no room for more blocking work", Rejected.Threads)))

  // States of a task, besides the thread that runs it.
  private object Waiting
  private object Interrupting
  private object Ended

  /** A task as seen by the loop. */
  private[async] final class Answer[A](val loop: Loop) extends Pending[A] {
    var work: Work[A] = null

    def deliver(result: Result[A]): Unit = if (isOpen) {
      loop.blockingWorkChanged(-1)
      work = null
      settle(result)
    }

    override private[async] def release(): Unit = if (work != null) {
      loop.blockingWorkChanged(-1)
      work.stop()
      work = null
    }
  }

  /**
   * A task as seen by the other thread. The reference holds `Waiting`, the running thread, `Interrupting` or `Ended`,
   * so that an interrupt reaches this task or none, never the next one on the same thread.
   */
  private[async] final class Work[A](owner: Blocking, answer: Answer[A], body: () => A)
      extends AtomicReference[AnyRef](Waiting)
      with Runnable {

    def run(): Unit = {
      val thread = Thread.currentThread
      if (compareAndSet(Waiting, thread)) {
        val result =
          try new Value(body())
          catch { case e: Throwable => new Failed(e) } // any error must reach the loop that waits
        val wanted = compareAndSet(thread, Ended)
        if (!wanted) while (get ne Ended) Thread.`yield`() // the interrupt is being delivered
        Thread.interrupted()
        owner.ended()
        if (wanted)
          try answer.loop.execute(() => answer.deliver(result))
          catch { case Survivable(_) => () } // the loop has ended: nothing waits any more
      } else owner.ended()
    }

    def stop(): Unit =
      if (compareAndSet(Waiting, Ended)) owner.remove(this)
      else
        get match {
          case thread: Thread =>
            if (compareAndSet(thread, Interrupting)) {
              thread.interrupt()
              set(Ended)
            }
          case _ => ()
        }
  }
}
