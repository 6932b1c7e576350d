package needletail.io.platform

import java.net.BindException

/** Another socket has the address that is to be listened on. */
private[needletail] final class AddressInUse(message: String) extends BindException(message) {
  override def fillInStackTrace(): Throwable = this
}
