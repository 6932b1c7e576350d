package needletail.client.connection

import java.nio.charset.StandardCharsets.US_ASCII

import needletail.client.config.ClientConfig
import needletail.http.http1.ResponseParser
import needletail.http.text.ByteWriter
import needletail.io.EventLoop

/** State shared by the connections of one client on one loop. Used on that loop only, by one of them at a time. */
private[needletail] final class ClientLoopContext(val loop: EventLoop, val config: ClientConfig) {

  /** The buffer that requests are encoded in; empty between two requests. */
  val writer = new ByteWriter(4 * 1024)

  /** The buffer that gathers the pieces of a streamed response that arrive in one turn. */
  val gathered = new ByteWriter(16 * 1024)

  /** The source of random delays. */
  lazy val random: java.util.Random = loop.platform.newRandom()

  /** The Accept-Encoding line for the codings that the config decodes; null if there are none. */
  val acceptEncoding: Array[Byte] =
    config.decoding.fold(null: Array[Byte])(d => s"Accept-Encoding: ${d.accepts}\r\n".getBytes(US_ASCII))

  /** Time limits of the config, in nanoseconds. */
  val idleNanos: Long     = config.idleTimeout.toNanos
  val queueNanos: Long    = config.queueTimeout.toNanos
  val connectNanos: Long  = config.connectTimeout.toNanos
  val requestNanos: Long  = config.requestTimeout.toNanos
  val bodyNanos: Long     = config.bodyTimeout.toNanos
  val continueNanos: Long = config.continueTimeout.toNanos

  private var spare: ResponseParser = null

  /** A parser for a response head. Return it by `giveParser` when the head is complete. */
  def takeParser(): ResponseParser = {
    val p = if (spare == null) new ResponseParser(config.maxHead, config.maxHeaders) else spare
    spare = null
    p.reset()
    p
  }

  /** Returns a parser for the next head. */
  def giveParser(parser: ResponseParser): Unit = spare = parser
}
