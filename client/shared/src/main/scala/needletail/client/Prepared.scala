package needletail.client

import java.net.InetAddress

import needletail.async.Async
import needletail.http.{ByteWriter, Headers, ResponseHead}
import needletail.io.{Address, Connector, TlsPeer}

/**
 * An exchange whose request is encoded already and whose answer is only measured: for those who send the same
 * request over and over, such as a load tester. It is reused: when `done` or `failed` has been called it may be sent
 * again, also from there, and nothing is allocated for it.
 */
private[needletail] abstract class Prepared(request: Array[Byte], override val isHead: Boolean = false)
    extends Exchange {
  private var status: Int   = 0
  private var received      = 0L
  private var started: Long = 0

  /** When it was handed to its connection, by `System.nanoTime`. */
  final def sentNanos: Long = started

  /** The answer is complete: its status, and the octets of its content. */
  def done(status: Int, contentLength: Long): Unit

  /** There is no answer. */
  def failed(error: ClientError): Unit

  override def mayPipeline: Boolean = true

  final def encode(into: ByteWriter): Unit = {
    started = System.nanoTime() // before it is written, so that no answer seems to take less than it did
    into.write(request)
  }
  final def onSent(): Unit                   = ()
  final def onHead(head: ResponseHead): Unit = {
    status = head.code
    received = 0
  }
  final def onContent(bytes: Array[Byte], from: Int, until: Int): Unit = received += until - from
  final def onEnd(trailers: Headers): Unit                             = done(status, received)
  final def onFailed(error: ClientError): Unit                         = failed(error)
}

/** Connections without a pool, for those who decide themselves how many there are. */
private[needletail] object DirectConnection {

  /**
   * Opens a connection; on `context`'s own loop. The owner is told when it can take a request again, but that it can
   * at first is told by the result, which fails as `Connector.connect` does.
   *
   * @param timeoutNanos for it to stand
   * @param source as for `Connector.connect`, like `tls`
   */
  def open(
      address: Address,
      context: LoopContext,
      owner: ConnectionOwner,
      hostName: String,
      timeoutNanos: Long,
      source: InetAddress = null,
      tls: TlsPeer = null
  ): Async[ClientConnection] = {
    var opened: ClientConnection = null
    Connector
      .connect(address, context.loop, context.config.socket, timeoutNanos, source, tls) { connection =>
        opened = new ClientConnection(connection, context, owner, hostName)
        opened
      }
      .map { _ =>
        opened.settle()
        opened
      }
  }
}
