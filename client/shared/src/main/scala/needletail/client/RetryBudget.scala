package needletail.client

import java.util.concurrent.atomic.AtomicLong

/**
 * How many retries a host has to bear: a token bucket that every call fills by a share of a token and every retry
 * takes one from. However long a service is down, it is asked at most that share more often; a limit on attempts
 * alone would multiply its load just then. Shared by all loops.
 */
private[client] final class RetryBudget(share: Double, reserve: Int, saving: Int) {
  private val perCall = math.round(share * RetryBudget.Token)
  private val most    = saving.toLong * RetryBudget.Token
  private val saved   = new AtomicLong(reserve.toLong * RetryBudget.Token)

  /** A call has been made. */
  def earn(): Unit = {
    var now = saved.get()
    // a full bucket, as is usual, is only read
    while (now < most && perCall > 0 && !saved.compareAndSet(now, math.min(most, now + perCall)))
      now = saved.get()
  }

  /** May a retry be made? Then its token is gone. */
  def spend(): Boolean = {
    var now = saved.get()
    while (now >= RetryBudget.Token && !saved.compareAndSet(now, now - RetryBudget.Token)) now = saved.get()
    now >= RetryBudget.Token
  }

  /** Whole retries that could be made now. */
  def left: Int = (saved.get() / RetryBudget.Token).toInt
}

private[client] object RetryBudget {
  private final val Token = 1000000L // parts that a token has, so that shares of it are whole numbers
}
