package needletail.server.exchange

import needletail.async.Loop
import needletail.http.{MessageBody, RequestParser, ResponseEncoder}
import needletail.http.http1.HeadLimits
import needletail.http.text.{ByteWriter, HttpDate}
import needletail.io.loop.LoopMemory
import needletail.server.clock.Clock
import needletail.server.config.ServerConfig

/**
 * The [[LoopServices]] of HTTP/1.1 and of gateway protocols, with what such connections share and use one at a time:
 * the head parser, the buffer that responses are written to, the field lines of every response.
 */
private[needletail] final class ServerLoopContext(
    clock: Clock,
    config: ServerConfig,
    loops: Int = 1,
    val format: ReplyFormat = ReplyFormat.http,
    memory: LoopMemory = new LoopMemory,
    foreign: ForeignPeers = new ForeignPeers
) extends LoopServices(clock, config, loops, memory, foreign) {

  /** Whether some peers are proxies, which say for each connection who the client is and whether it uses TLS. */
  val hasProxies: Boolean = config.proxies.nonEmpty

  private val limits = HeadLimits(config.maxTarget, config.maxHead, config.maxHeaders, config.relaxedTarget)

  /** The buffer for responses, as lent to turns of sessions. */
  val lent = new LentWriter(ServerLoopContext.WriterSize)

  /** The same buffer; to be used within a turn only. */
  val writer: ByteWriter = lent.bytes

  /** The body of requests that have none. */
  val noBody: MessageBody = MessageBody.empty

  private var spare: RequestParser = newParser()
  private var commonSecond: Long   = -1
  private var commonLines          = new Array[Byte](0)

  /** Takes a parser for one head; returned by `giveParser`, unless the head is not complete yet. */
  @inline def takeParser(): RequestParser = {
    val p = spare
    if (p == null) newParser()
    else {
      spare = null
      // the first parser is created before the loop has a thread
      if (p.view.owner == null) p.view.owner = Thread.currentThread
      p
    }
  }

  /** Returns a parser whose head is complete. */
  @inline def giveParser(parser: RequestParser): Unit = spare = parser

  @noinline private def newParser(): RequestParser = {
    val parser = new RequestParser(limits)
    parser.view.gate = admission
    if (Loop.currentOrNull != null) parser.view.owner = Thread.currentThread
    parser.secure = config.tls.isDefined
    parser
  }

  /**
   * The field lines of every response for `ResponseEncoder`, encoded once a second: Date (RFC 9110 §6.6.1), and Server
   * if configured.
   */
  @inline def common: Array[Byte] = {
    val second = clock.nowMillis / 1000
    if (second != commonSecond) renderCommon(second)
    commonLines
  }

  @noinline private def renderCommon(second: Long): Unit = {
    commonSecond = second
    val server = config.serverHeader.fold("")(value => s"Server: $value\r\n")
    commonLines = ResponseEncoder.common(s"Date: ${HttpDate.format(second)}\r\n$server")
  }
}

private[needletail] object ServerLoopContext {

  /** Bytes of the buffer for responses. */
  final val WriterSize = 32 * 1024
}
