package needletail.server

import java.net.BindException

/**
 * A server cannot listen where it is told to: the port is in use, the address is none of this machine's. The message
 * says where and why, in one line, which is all there is to it: a program that lets it pass ends with that line and
 * status 1.
 */
final class CannotListen(message: String) extends BindException(message) {
  override def fillInStackTrace(): Throwable = this
  override def toString: String              = getMessage
}
