package needletail.gateway.host.upstream

import java.util.concurrent.{ConcurrentHashMap, RejectedExecutionException}

import needletail.io.EventLoop

/** The connections of all loops to one FastCGI server: a pool for each loop that has sent a request there. */
private[host] final class FastCgiPools(endpoint: Endpoint, settings: FastCgiPool.Settings) {
  private val pools = new ConcurrentHashMap[EventLoop, FastCgiPool]

  /** The pool of `loop`. */
  def on(loop: EventLoop): FastCgiPool = {
    val pool = pools.get(loop)
    if (pool != null) pool
    else {
      pools.keySet.removeIf(loop => !loop.isAlive)
      pools.computeIfAbsent(loop, _ => new FastCgiPool(endpoint, loop, settings, () => closeIdleBut(loop)))
    }
  }

  /** One connection too many is being made on `loop`: closes idle ones on other loops. */
  private def closeIdleBut(own: EventLoop): Unit = pools.forEach { (loop, pool) =>
    if ((loop ne own) && pool.hasIdle)
      try loop.execute(() => pool.closeIdle())
      catch { case _: RejectedExecutionException => () } // the loop has ended, which closes it
  }
}
