package needletail.io

import java.io.IOException
import java.net.{InetAddress, UnknownHostException}
import java.util.concurrent.{LinkedBlockingQueue, RejectedExecutionException, ThreadPoolExecutor, TimeUnit}

/** Host names to addresses. The system's look-up blocks, so it runs on two threads of its own, made when needed. */
private[io] object Names {
  private final val Threads   = 2
  private final val MaxQueued = 1024

  private lazy val pool = {
    val pool = new ThreadPoolExecutor(
      Threads,
      Threads,
      30,
      TimeUnit.SECONDS,
      new LinkedBlockingQueue[Runnable](MaxQueued),
      (task: Runnable) => {
        val thread = new Thread(task, "needletail-names")
        thread.setDaemon(true)
        thread
      }
    )
    pool.allowCoreThreadTimeOut(true)
    pool
  }

  /** Calls `f` on `loop`: at once for an IP address written out, else when the look-up is done. */
  def resolve(host: String, loop: EventLoop)(f: Either[IOException, Array[InetAddress]] => Unit): Unit =
    if (isLiteral(host)) f(lookUp(host))
    else
      try
        pool.execute { () =>
          val result = lookUp(host)
          try loop.execute(() => f(result))
          catch { case _: RejectedExecutionException => () } // nobody is left to hear it
        }
      catch { case _: RejectedExecutionException => f(Left(new IOException("too many names are being looked up"))) }

  private def lookUp(host: String): Either[IOException, Array[InetAddress]] =
    try Right(NameService.lookUp(host))
    catch { case e: UnknownHostException => Left(e) }

  private def isLiteral(host: String): Boolean =
    host.indexOf(':') >= 0 || host.forall(c => c == '.' || (c >= '0' && c <= '9'))
}
