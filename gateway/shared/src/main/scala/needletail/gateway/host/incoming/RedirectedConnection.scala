package needletail.gateway.host.incoming

import needletail.http.{ConnectionInfo, ConnectionWrapper}

/** The connection of a request that results from `count` successive local redirects of the client's request. */
private[host] final class RedirectedConnection(val wrapped: ConnectionInfo, val count: Int)
    extends ConnectionWrapper {
  def remoteAddress: String = wrapped.remoteAddress
  def isSecure: Boolean     = wrapped.isSecure
}
