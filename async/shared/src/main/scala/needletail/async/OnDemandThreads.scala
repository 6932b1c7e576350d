package needletail.async

import java.util.concurrent.{Executor, LinkedBlockingQueue, ThreadFactory, ThreadPoolExecutor, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration.FiniteDuration

/**
 * Daemon threads that are started when there is a task, and end when there was none for a while. A task waits only while
 * `most` threads are busy with others.
 *
 * A `ThreadPoolExecutor` alone does not promise that: a thread whose time is over leaves it even if a task has just been
 * queued for it, where there are others, and these may be busy for long.
 *
 * @param name  of the threads, before their numbers
 * @param queue tasks that may wait
 * @param idle  after how long without a task a thread ends
 */
private[needletail] final class OnDemandThreads(
    name: String,
    most: Int,
    queue: Int,
    idle: FiniteDuration,
    newThread: (Runnable, String) => Thread = new Thread(_, _)
) extends Executor {
  private val names = new AtomicInteger

  private val pool: ThreadPoolExecutor = {
    val factory: ThreadFactory = worker => {
      val thread = newThread(
        () => {
          worker.run()
          pickUp()
        },
        s"$name-${names.getAndIncrement()}"
      )
      thread.setDaemon(true)
      thread
    }
    val tasks = new LinkedBlockingQueue[Runnable](queue)
    val made  = new ThreadPoolExecutor(most, most, idle.toNanos, TimeUnit.NANOSECONDS, tasks, factory)
    made.allowCoreThreadTimeOut(true)
    made
  }

  /** The number of threads alive. */
  def size: Int = pool.getPoolSize

  /**
   * Has another thread run `task`: a new one, as long as there are fewer than `most`. Throws RejectedExecutionException if
   * the queue is full, and what the system throws that gives no further thread; then `task` is not run.
   */
  def execute(task: Runnable): Unit = {
    try pool.execute(task)
    catch {
      case Survivable(e) => // it may be in the queue, if all have left since
        pool.remove(task)
        throw e
    }
    if (!pool.getQueue.isEmpty) // as all threads were there; one may have left since
      try start()
      catch { case Survivable(e) => if (remove(task)) throw e }
  }

  /** Queues a task for a thread that is idle. Returns whether there is room. The caller has to see that there is a thread. */
  def offer(task: Runnable): Boolean = pool.getQueue.offer(task)

  /** Starts another thread for the queue, unless there are `most`. */
  def start(): Unit = { pool.prestartCoreThread(); () }

  /** Removes a task that waits. Returns whether it did. */
  def remove(task: Runnable): Boolean = pool.remove(task)

  /** A thread that was idle for too long has left the pool: there may be a task for it. */
  private def pickUp(): Unit = if (!pool.getQueue.isEmpty)
    try start()
    catch {
      case Survivable(_) => // the system gives no further thread
        var task = pool.getQueue.poll()
        while (task != null) {
          task.run()
          task = pool.getQueue.poll()
        }
    }
}
