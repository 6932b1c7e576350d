package needletail.io

import needletail.io.kernel.Kernel
import needletail.io.platform.ConnectionOptions
import needletail.io.system.PipeSocket

/** Pipes to other processes, as connections. */
private[needletail] object Pipe {
  Kernel.pipeSignal()

  /**
   * Makes one end of a pipe a connection of `loop`, which then owns and closes `fd`. To be called on the loop's
   * thread. A connection that writes is closed when the reader closes its end.
   */
  def begin(fd: Int, loop: EventLoop, options: ConnectionOptions = ConnectionOptions.default)(
      makeHandler: Connection => ConnectionHandler
  ): Connection = {
    val connection = new Connection(loop, new PipeSocket(fd), options)
    connection.begin(makeHandler)
    connection
  }
}
