package needletail.io.system.tls

import java.net.IDN
import java.util.Locale.ROOT

/** Hosts and the names of certificates (RFC 9525 section 6.3). */
private[tls] object HostNames {

  /** Whether a certificate's name is that of a host. An asterisk in it counts only as the whole of the first label. */
  def isFor(certified: String, host: String): Boolean = {
    val (own, name) = (ascii(certified), ascii(host))
    val dot         = name.indexOf('.')
    own == name || dot > 0 && own.startsWith("*.") && own.substring(1) == name.substring(dot)
  }

  /** Whether a certificate's name has an asterisk that does not count. */
  def isMisplaced(certified: String): Boolean =
    certified.lastIndexOf('*') > 0 || certified.startsWith("*") && !certified.startsWith("*.")

  /** As hosts are compared: in lower case, and international ones in ASCII (RFC 5891). */
  private def ascii(host: String): String =
    try IDN.toASCII(host).toLowerCase(ROOT)
    catch { case _: IllegalArgumentException => host.toLowerCase(ROOT) }
}
