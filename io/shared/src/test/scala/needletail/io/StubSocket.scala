package needletail.io

import needletail.io.platform.{ConnectionOptions, Interest, Socket}

/** A socket that the kernel does not know, for what never reaches it: nothing arrives, and everything is taken. */
private[io] class StubSocket extends Socket {
  def read(bytes: Array[Byte], from: Int, count: Int): Int  = 0
  def write(bytes: Array[Byte], from: Int, count: Int): Int = count
  def finishConnect(): Boolean                              = true
  def shutdownOutput(): Unit                                = ()
  def resetOnClose(): Unit                                  = ()
  def configure(options: ConnectionOptions): Unit           = ()
  def remoteAddress: String                                 = "192.0.2.1:4711"
  def localAddress: String                                  = "192.0.2.2:80"
  override def permitted(bits: Int): Int                    = Interest.None // no poller watches it
  override def close(): Unit                                = ()
}
