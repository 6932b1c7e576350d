package needletail.content.forward

import needletail.http.text.Ascii
import needletail.http.{ConnectionInfo, ConnectionWrapper, Request}
import needletail.io.dns.{Network, TrustedNetworks}

/**
 * The reverse proxies in front of a server: for requests from them, `request.connection` has the client's address and
 * whether the client used TLS, as the proxies say. See `routes.behind`.
 *
 * Read are X-Forwarded-For and X-Forwarded-Proto, which nginx, Apache, HAProxy and the load balancers of clouds set, or
 * Forwarded (RFC 7239), but not both, as most proxies pass on the other from whoever sent it. The address is the last one
 * that is not of a trusted proxy: what is before it may be the client's invention.
 *
 * @param networks addresses (`192.0.2.1`, `::1`) and networks (`10.0.0.0/8`, `fd00::/8`) of the proxies, and `unix` for
 *   all peers on a Unix socket; another text throws IllegalArgumentException. Clients must not be able to connect from
 *   there, or they may call themselves as they like
 * @param standard whether Forwarded is read, and not X-Forwarded-For and X-Forwarded-Proto
 */
final case class ReverseProxies(networks: Seq[String], standard: Boolean = false) {
  import ReverseProxies.*

  private val trusted = TrustedNetworks("ReverseProxies", "networks", networks)

  /** From here on, `request.connection`, also of requests made from this one, is the client's. */
  private[content] def apply(request: Request): Unit = {
    val proxy = request.connection
    if (isTrusted(proxy)) {
      val hop     = client(if (standard) forwarded(request) else forwardedFor(request))
      val address = if (hop.address == null) proxy.remoteAddress else hop.address
      val scheme  = if (standard) hop.scheme else members(request, Proto).lastOption.orNull
      request.shared.client =
        new ProxiedConnection(
          proxy,
          address,
          if (scheme == null) proxy.isSecure else Ascii.same(scheme, "https")
        )
    }
  }

  private def isTrusted(proxy: ConnectionInfo): Boolean = {
    // by the own address, as a peer's socket file may have any name; a connection that is gone natively has none, nor may
    // a request of a gateway
    val own    = proxy.localAddress
    val isUnix = own.nonEmpty && !isAddress(hostOf(own))
    if (isUnix) trusted.hasUnix else trusted.contains(hostOf(proxy.remoteAddress))
  }

  /** The client, or the hop after which nothing is to be believed. */
  private def client(hops: List[Hop]): Hop = {
    var last = Unknown
    var left = hops.reverse
    while (left.nonEmpty) {
      last = left.head
      left = if (last.address != null && trusted.contains(hostOf(last.address))) left.tail else Nil
    }
    last
  }
}

object ReverseProxies {
  private final val For   = "X-Forwarded-For"
  private final val Proto = "X-Forwarded-Proto"

  /** Who sent a request to a proxy, as that proxy says; null for what it does not say, or not legibly. */
  private final class Hop(val address: String, val scheme: String)

  private val Unknown = new Hop(null, null)

  /** Split at each comma: a quote that a client has left open must not hide what a proxy appends. */
  private def members(request: Request, name: String): List[String] =
    request.headers.getAll(name).flatMap(_.split(',')).map(_.trim).filter(_.nonEmpty)

  private def forwardedFor(request: Request): List[Hop] =
    members(request, For).map(node => new Hop(address(node), null))

  private def forwarded(request: Request): List[Hop] =
    request.headers.getAll("Forwarded").flatMap(Quoted.split(_, ',')).filter(_.nonEmpty).map { element =>
      val pairs = Quoted.split(element, ';').flatMap { pair =>
        val equals = pair.indexOf('=')
        if (equals < 0) None
        else
          Some((Ascii.lower(pair.substring(0, equals).trim), Quoted.value(pair.substring(equals + 1).trim)))
      }
      def value(name: String) = pairs.collectFirst { case (`name`, text) => text }
      new Hop(value("for").map(address(_)).orNull, value("proto").orNull)
    }

  /** A node (RFC 7239 §6), and what proxies write in X-Forwarded-For: an address, maybe with a port. Null if it is none. */
  private def address(node: String): String = {
    val isBare = isAddress(node)
    val host   = if (isBare) node else hostOf(node)
    val port   = if (isBare) "" else node.substring(node.lastIndexOf(':') + 1)
    Network.endpoint(host, if (isPort(port)) port.toInt else 0).orNull
  }

  private def isPort(text: String) =
    text.nonEmpty && text.length <= 5 && text.forall(c => c >= '0' && c <= '9') && text.toInt <= 65535

  /** Of `192.0.2.1:80`, `[::1]:80` or `[::1]`; `""` if it has another form. */
  private def hostOf(address: String): String =
    if (address.startsWith("[")) address.substring(1, math.max(1, address.indexOf(']')))
    else address.substring(0, math.max(0, address.lastIndexOf(':')))

  private def isAddress(text: String): Boolean = text.indexOf('/') < 0 && Network.parse(text).isDefined
}

/** The connection of a reverse proxy, with what it says of the client. */
private final class ProxiedConnection(
    val wrapped: ConnectionInfo,
    val remoteAddress: String,
    val isSecure: Boolean
) extends ConnectionWrapper
