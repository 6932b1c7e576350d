package needletail.io.dns

import java.net.InetAddress

/** See Platform.scala. */
private[io] object NameService {
  def lookUp(host: String): Array[InetAddress] = InetAddress.getAllByName(host)
}
