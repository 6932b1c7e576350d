package needletail.simulation

import scala.concurrent.duration._

import needletail.simulation.world.{Endpoint, World}

/**
 * A server's side of a connection, without a loop, that reads at its own pace.
 *
 * @param isEager whether it reads whatever comes, or else only when it is told to
 */
abstract class SlowReader(end: Endpoint, var isEager: Boolean) {
  private val scratch = new Array[Byte](65536)

  /** Bytes that have been read. */
  var count = 0L
  end.onChange = () => if (isEager) read(Int.MaxValue)

  /** The first `n` bytes of `bytes` have been read. */
  protected def took(bytes: Array[Byte], n: Int): Unit

  /** It has read as much as it could, or should. */
  protected def hasRead(): Unit

  def read(most: Int): Unit = {
    var left = most
    var n    = end.take(scratch, 0, Math.min(left, scratch.length))
    while (n > 0) {
      count += n
      left -= n
      took(scratch, n)
      n = if (left > 0) end.take(scratch, 0, Math.min(left, scratch.length)) else 0
    }
    hasRead()
  }

  /** Reads less than the kernel would report room for, for so long, then nothing, and then the rest. */
  def readSlowly(world: World, slowFor: FiniteDuration, pause: FiniteDuration): Unit = {
    for (_ <- 1 to (slowFor / 20.millis).toInt) {
      world.pass(20.millis.toNanos)
      read(400)
    }
    world.pass(pause.toNanos)
    isEager = true
    read(Int.MaxValue)
  }
}
