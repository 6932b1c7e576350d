package needletail.io

import scala.scalanative.unsafe.*

/** This program's end of a pipe, in non-blocking mode: a [[Socket]] without addresses, options and half-close. */
private[io] final class Pipe(number: Int) extends KernelSocket(number) {

  override def read(bytes: Array[Byte], from: Int, count: Int): Int = {
    val n = Kernel.pipeRead(fd, bytes.at(from), count)
    if (n == 0 || n > 0 && n < count && !unbounded) usedUp(Interest.Read)
    if (n >= 0) n else if (n == KernelSocket.EndOfInput) -1 else throw KernelError.exception(n)
  }

  override def write(bytes: Array[Byte], from: Int, count: Int): Int = {
    val n = KernelError.check(Kernel.pipeWrite(fd, bytes.at(from), count))
    if (n < count) usedUp(Interest.Write)
    n
  }

  override def finishConnect(): Boolean                    = true
  override def shutdownOutput(): Unit                      = ()
  override def resetOnClose(): Unit                        = ()
  override def configure(options: ConnectionOptions): Unit = ()
  override def remoteAddress: String                       = ""
  override def localAddress: String                        = ""
}

private[needletail] object Pipe {
  Kernel.pipeSignal()

  /**
   * Gives one end of a pipe to `loop`, as a connection that closes it; on the loop's own thread. Of an end that is
   * written to, the reader's going away closes the connection.
   */
  def begin(fd: Int, loop: EventLoop, options: ConnectionOptions = ConnectionOptions.default)(
      makeHandler: Connection => ConnectionHandler
  ): Connection = {
    val connection = new Connection(loop, new Pipe(fd), options)
    connection.begin(makeHandler)
    connection
  }
}

/**
 * Waits for a descriptor that is no stream, as that of a process is, to become readable. It owns the descriptor; to be
 * made and used on the loop's own thread.
 *
 * @param happened called once
 * @param ended called instead when the loop ends first
 */
private[needletail] final class Readiness(number: Int, loop: EventLoop)(
    happened: () => Unit,
    ended: () => Unit
) extends Pollable {
  private object descriptor extends Descriptor { fd = number }
  private var over = false
  loop.watch(descriptor, this, Interest.Read)

  /** No longer interested. */
  def close(): Unit = if (!over) {
    over = true
    loop.releaseAtTurnEnd(descriptor)
  }

  private[needletail] def onReady(ready: Int): Unit = if (!over) {
    close()
    happened()
  }
  private[needletail] def failed(cause: Throwable): Unit = ()
  private[needletail] def onLoopEnd(): Unit              = if (!over) {
    close()
    ended()
  }
}
