package needletail.client

import needletail.http.{ByteWriter, ResponseParser}
import needletail.io.EventLoop

/** What all connections of one client on one loop share, used by one of them at a time. */
private[needletail] final class LoopContext(val loop: EventLoop, val config: ClientConfig) {

  /** Requests are written here and handed to the kernel at once; empty between two sendings. */
  val writer = new ByteWriter(4 * 1024)

  /** Pieces of a streamed answer that came in one turn are put together here. */
  val gathered = new ByteWriter(16 * 1024)

  lazy val random: java.util.Random = loop.platform.newRandom()

  /** Durations of the config in nanoseconds. */
  val idleNanos: Long     = config.idleTimeout.toNanos
  val queueNanos: Long    = config.queueTimeout.toNanos
  val connectNanos: Long  = config.connectTimeout.toNanos
  val requestNanos: Long  = config.requestTimeout.toNanos
  val bodyNanos: Long     = config.bodyTimeout.toNanos
  val continueNanos: Long = config.continueTimeout.toNanos

  private var spare: ResponseParser = null

  /** A parser for one connection; it goes back by `giveParser`, unless a head has only come in part. */
  def takeParser(): ResponseParser = {
    val p = if (spare == null) new ResponseParser(config.maxHead, config.maxHeaders) else spare
    spare = null
    p.reset()
    p
  }

  def giveParser(parser: ResponseParser): Unit = spare = parser
}
