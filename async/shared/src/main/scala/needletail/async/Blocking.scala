package needletail.async

import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}
import java.util.concurrent.{
  LinkedBlockingQueue,
  RejectedExecutionException,
  ThreadFactory,
  ThreadPoolExecutor,
  TimeUnit
}

import scala.concurrent.duration._

/**
 * How much blocking work there may be.
 *
 * @param threads        platform threads at most; each is started when work waits
 * @param queue          pieces of work that may wait for one of those threads; one more is [[Rejected]]
 * @param idle           after how long without work such a thread ends
 * @param virtual        use virtual threads where the JVM has them (21 or later) instead of `threads` and `queue`
 * @param virtualThreads virtual threads at most; one more is [[Rejected]]
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
 * The failure of what was asked for and found no room. Where it is what a request comes to, a server answers 503.
 *
 * @param full what has no room
 */
final class Rejected(message: String, val full: Rejected.Full = Rejected.Other)
    extends RuntimeException(message, null, false, false)

object Rejected {
  sealed trait Full

  /** The mailbox of an actor. */
  case object Mailbox extends Full

  /** The threads for blocking work, and the queue for them. */
  case object Threads extends Full
  case object Other   extends Full
}

/**
 * Threads for work that blocks (JDBC, files, `Thread.sleep`), so that loops need not.
 *
 * `Async.blocking` uses the one that all share; make another one to keep one kind of work from taking all
 * threads. All threads are daemons. Methods are to be called on a loop.
 */
final class Blocking(config: BlockingConfig = BlockingConfig()) {
  private val names   = new AtomicInteger
  private val virtual = if (config.virtual) VirtualThreads.factory("needletail-blocking-") else null
  private val running = new AtomicInteger // virtual threads only

  private val pool: ThreadPoolExecutor =
    if (virtual != null) null
    else {
      val factory: ThreadFactory = task => {
        val thread = new Thread(task, s"needletail-blocking-${names.getAndIncrement()}")
        thread.setDaemon(true)
        thread
      }
      val executor = new ThreadPoolExecutor(
        config.threads,
        config.threads,
        config.idle.toNanos,
        TimeUnit.NANOSECONDS,
        new LinkedBlockingQueue[Runnable](config.queue),
        factory
      )
      executor.allowCoreThreadTimeOut(true)
      executor
    }

  /**
   * Runs `body` on another thread and brings what it returns or throws to the loop that calls.
   *
   * Fails with [[Rejected]] when there is no room. Cancelling removes work that has not begun, and interrupts
   * the thread of work that has, where the platform can: then the result is lost, whatever `body` does.
   */
  def apply[A](body: => A): Async[A] = {
    val answer = new Blocking.Answer[A](Loop.current)
    val work   = new Blocking.Work[A](this, answer, () => body)
    answer.work = work
    val own = answer.loop.blockingThreads
    if (if (own == null) submit(work) else { own.execute(work); true }) {
      ManualLoop.awaitWork(answer.loop, +1)
      answer
    } else Async.fail(new Rejected("no room for more blocking work", Rejected.Threads))
  }

  /** Does the platform give this one virtual threads? */
  def usesVirtualThreads: Boolean = virtual != null

  /** Platform threads alive now. */
  private[async] def threads: Int = if (pool == null) 0 else pool.getPoolSize

  private def submit(work: Runnable): Boolean =
    if (virtual == null)
      try {
        pool.execute(work)
        true
      } catch { case _: RejectedExecutionException => false }
    else if (running.incrementAndGet() > config.virtualThreads) {
      running.decrementAndGet()
      false
    } else {
      virtual.newThread(work).start()
      true
    }

  private def remove(work: Runnable): Unit = if (pool != null) { pool.remove(work); () }

  private def ended(): Unit = if (virtual != null) { running.decrementAndGet(); () }
}

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

  /** Has `Async.blocking` use threads by these settings from now on; what was begun ends on the old ones. */
  def configure(config: BlockingConfig): Unit = synchronized { shared = new Blocking(config) }

  // What a piece of work can be, besides the thread that runs it.
  private object Waiting
  private object Interrupting
  private object Ended

  /** The loop's side of a piece of work. */
  private[async] final class Answer[A](val loop: Loop) extends Pending[A] {
    var work: Work[A] = null

    def deliver(result: Result[A]): Unit = if (isOpen) {
      ManualLoop.awaitWork(loop, -1)
      work = null
      settle(result)
    }

    override private[async] def release(): Unit = if (work != null) {
      ManualLoop.awaitWork(loop, -1)
      work.stop()
      work = null
    }
  }

  /**
   * The other thread's side. The reference holds `Waiting`, the running thread, `Interrupting` or `Ended`, so
   * that an interrupt meets this work or none: never the next one on the same thread.
   */
  private[async] final class Work[A](owner: Blocking, answer: Answer[A], body: () => A)
      extends AtomicReference[AnyRef](Waiting)
      with Runnable {

    def run(): Unit = {
      val thread = Thread.currentThread
      if (compareAndSet(Waiting, thread)) {
        val result =
          try new Value(body())
          catch { case e: Throwable => new Failed(e) } // whatever it is, the one who waits must learn of it
        val wanted = compareAndSet(thread, Ended)
        if (!wanted) while (get ne Ended) Thread.`yield`() // the interrupt is being delivered
        Thread.interrupted()
        owner.ended()
        if (wanted)
          try answer.loop.execute(() => answer.deliver(result))
          catch { case Survivable(_) => () } // the loop has ended: nobody waits any more
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
