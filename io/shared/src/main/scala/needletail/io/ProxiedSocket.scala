package needletail.io

import java.io.IOException
import java.net.SocketTimeoutException

import needletail.io.platform.{ConnectionOptions, Interest, Pollable, Socket}
import needletail.io.proxyprotocol.{AwaitedHeaders, ProxyHeader}

/**
 * An accepted socket whose PROXY header is read first. Then `opened` is called, or `closed` if there is none in time;
 * the socket is not watched any more.
 *
 * @param awaited has it until then; may be null
 */
private[io] final class ProxiedSocket(
    loop: EventLoop,
    socket: Socket,
    options: ConnectionOptions,
    awaited: AwaitedHeaders,
    opened: ProxyHeader => Unit,
    closed: () => Unit
) extends Pollable
    with AwaitedHeaders.Waiting {
  private val header  = new ProxyHeader
  private var isOver  = false
  private val timeout =
    loop.schedule(
      options.handshakeNanos,
      () => fail(new SocketTimeoutException("a proxy sent no PROXY header in time"))
    )

  def begin(): Unit =
    try {
      loop.watch(socket, this, Interest.Read)
      if (awaited ne null) awaited.add(this)
    } catch { case e: IOException => fail(e) }

  def hasBegun: Boolean = header.position > 0

  def close(cause: IOException): Unit = fail(cause)

  private[needletail] def onReady(ready: Int): Unit = {
    try read()
    catch { case e: IOException => fail(e) }
    if (!isOver && header.wanted == 0) {
      end()
      opened(header)
    }
  }

  private def read(): Unit = {
    var goOn = !isOver
    while (goOn) {
      val n = socket.read(header.bytes, header.position, header.wanted)
      if (n < 0) throw new IOException("a proxy ended a connection before its PROXY header")
      if (n > 0) header.add(n)
      goOn = n > 0 && header.wanted > 0
    }
  }

  private def end(): Unit = {
    isOver = true
    timeout.cancel()
    if (awaited ne null) awaited.remove(this)
    loop.unwatch(socket)
  }

  private def fail(cause: Throwable): Unit = if (!isOver) {
    end()
    try if (header.position > 0 && (awaited ne null)) awaited.failed(socket.remoteAddress, cause)
    finally closed()
  }

  private[needletail] def failed(cause: Throwable): Unit = fail(cause)
  private[needletail] def onLoopEnd(): Unit              = fail(new IOException("the event loop has ended"))
}
