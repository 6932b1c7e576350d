package needletail.server.failure

import java.net.BindException

/**
 * A server cannot listen on its address: the port is in use, or the address is not one of this machine. The message
 * names the address and the reason in one line. There is no stack trace: a program that does not catch this prints
 * that line and exits with status 1.
 *
 * @param isInUse whether it is because another socket has the address; on the JVM never told of a port below 1024
 */
final class CannotListen(message: String, val isInUse: Boolean = false) extends BindException(message) {
  override def fillInStackTrace(): Throwable = this
  override def toString: String              = getMessage
}
