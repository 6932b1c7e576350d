package needletail.client.policy

import java.util.concurrent.atomic.AtomicLong

/**
 * Limits the retries to a host: a token bucket, to which every call adds a share of a token and from which every retry
 * takes one. However long the host fails, retries add at most that share to its load; with a limit on attempts alone
 * they would multiply it. Shared by all loops.
 *
 * @param share tokens added by each call
 * @param reserve tokens at the beginning
 * @param saving maximum of tokens
 */
private[client] final class RetryBudget(share: Double, reserve: Int, saving: Int) {
  private val perCall = math.round(share * RetryBudget.Token)
  private val most    = saving.toLong * RetryBudget.Token
  private val saved   = new AtomicLong(reserve.toLong * RetryBudget.Token)

  /** Counts a call. */
  def earn(): Unit = {
    var now = saved.get()
    // a full bucket, the usual case, is only read
    while (now < most && perCall > 0 && !saved.compareAndSet(now, math.min(most, now + perCall)))
      now = saved.get()
  }

  /** Takes a token, if there is one, for a retry. */
  def spend(): Boolean = {
    var now = saved.get()
    while (now >= RetryBudget.Token && !saved.compareAndSet(now, now - RetryBudget.Token)) now = saved.get()
    now >= RetryBudget.Token
  }

  /** Retries that are allowed now. */
  def left: Int = (saved.get() / RetryBudget.Token).toInt
}

private[client] object RetryBudget {
  private final val Token = 1000000L // units in a token, so that shares are integers
}
