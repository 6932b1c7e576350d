package needletail.client.config

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Base64

import needletail.client.tunnel.{ConnectHandshake, ProxyRefusal}
import needletail.client.url.{Origin, Url}
import needletail.http.message.{PercentCoding, Status}
import needletail.http.text.{Ascii, Grammar}
import needletail.io.dns.Network
import needletail.io.{Address, ProxyHandshake, TunnelProxy}

/**
 * A proxy that speaks HTTP (RFC 9110 §3.7). Calls by http are sent to it with the whole URL (RFC 9112 §3.2.2), calls by
 * https go through a tunnel that it makes by CONNECT (RFC 9110 §9.3.6).
 *
 * A `TcpClient` and a WebSocket client can use it, too, by CONNECT.
 *
 * @param credentials user name and password, sent to it by Proxy-Authorization (RFC 7617), in
 *   place of a call's own
 */
final case class HttpProxy(address: Address.Tcp, credentials: Option[(String, String)] = None)
    extends TunnelProxy {
  if (
    credentials.exists { case (user, password) =>
      user.contains(':') || !Grammar.isFieldValue(user + password)
    }
  )
    throw new IllegalArgumentException(s"the credentials of $this cannot be sent")

  /** The value of Proxy-Authorization. */
  private[client] def authorization: Option[String] = credentials.map { case (user, password) =>
    "Basic " + Base64.getEncoder.encodeToString(s"$user:$password".getBytes(UTF_8))
  }

  private[needletail] def handshake(to: Address.Tcp): ProxyHandshake =
    new ConnectHandshake(authorization, to, agent = None)

  /** Without the credentials. */
  override def toString: String = s"http://$address"
}

object HttpProxy {

  /**
   * The proxy of a URL, `http://user:password@host:port`, or of `host:port`. Credentials are percent-encoded; the port
   * is 80 unless one is given.
   *
   * @throws java.lang.IllegalArgumentException if it is not one, or has another scheme
   */
  def apply(url: String): HttpProxy =
    parse(url).fold(why => throw new IllegalArgumentException(why), identity)

  /** The failure of a connection that the proxy has refused: its status, and a text for people. */
  private[needletail] object Refused {
    def unapply(failure: Throwable): Option[(Status, String)] = failure.getCause match {
      case refusal: ProxyRefusal => Some((refusal.status, refusal.getMessage))
      case _                     => None
    }
  }

  /** Left is the error, which does not show credentials. */
  private[config] def parse(url: String): Either[String, HttpProxy] = {
    val scheme = url.indexOf("://")
    val rest   = if (scheme < 0) url else url.substring(scheme + 3)
    val at     = rest.lastIndexOf('@')
    if (scheme >= 0 && Ascii.lower(url.substring(0, scheme)) != "http")
      Left(s"a proxy must have an http URL, not '${url.substring(0, scheme)}'")
    else
      Url.origin("http://" + rest.substring(at + 1)).left.map(_ =>
        "a proxy must be http://host:port"
      ).flatMap {
        origin =>
          (origin.address, if (at < 0) Right(None) else pair(rest.substring(0, at)).map(Some(_))) match {
            case (address: Address.Tcp, Right(credentials)) =>
              try Right(HttpProxy(address, credentials))
              catch { case e: IllegalArgumentException => Left(e.getMessage) }
            case (_, Left(why)) => Left(why)
            case _              => Left("a proxy must be http://host:port")
          }
      }
  }

  private def pair(text: String): Either[String, (String, String)] = {
    val colon    = text.indexOf(':')
    val user     = if (colon < 0) text else text.substring(0, colon)
    val password = if (colon < 0) "" else text.substring(colon + 1)
    (PercentCoding.decode(user), PercentCoding.decode(password)) match {
      case (Right(name), Right(word)) => Right((name, word))
      case _                          => Left("the credentials of a proxy must be percent-encoded")
    }
  }
}

/**
 * Which calls go through which proxy. Calls of Unix sockets, and of services with addresses of their own, go through
 * none.
 *
 * @param http  for `http://`
 * @param https for `https://`
 * @param except hosts that are called directly, in the form of `no_proxy`: `example.com` is that host and all below,
 *   `.example.com` only those below, `example.com:8080` that port only, `10.0.0.1` and `[::1]` an address, `10.0.0.0/8` and `fd00::/8` the addresses of a
 *   network (names are not looked up for it), `*` all
 * @throws java.lang.IllegalArgumentException if what follows the colon of an exception is no port, or one with a slash
 *   is no network
 */
final case class Proxies(
    http: Option[HttpProxy] = None,
    https: Option[HttpProxy] = None,
    except: Seq[String] = Nil
) {
  for (text <- except if !Proxies.isReadable(text))
    throw new IllegalArgumentException(
      s"except contains '$text', but " +
        (if (text.contains('/')) "what has a slash must be a network, such as 10.0.0.0/8 or fd00::/8"
         else "after the colon of a host must be its port, 1 to 65535")
    )

  private val exceptions =
    except.map(text => Ascii.lower(text.trim)).filter(_.nonEmpty).map(Proxies.exception)

  /** The proxy for an origin; None for a direct connection. */
  private[needletail] def of(origin: Origin): Option[HttpProxy] = origin.address match {
    case Address.Tcp(host, port) =>
      (if (origin.isSecure) https else http).filterNot(_ => exceptions.exists(_(host, port)))
    case _ => None
  }
}

object Proxies {

  /** All calls go directly. */
  val none: Proxies = Proxies()

  /** All calls, except those of `except`, go through one proxy, given as for `HttpProxy`. */
  def all(url: String, except: Seq[String] = Nil): Proxies = {
    val proxy = Some(HttpProxy(url))
    Proxies(proxy, proxy, except)
  }

  /**
   * The proxies named by the environment: `http_proxy`, `https_proxy`, `all_proxy` for both, and `no_proxy`, a list with commas,
   * in which an entry with another port than a number, or with a slash that is no network, matches nothing; the same in capitals if that is not set. This machine itself (`localhost`, `127.0.0.1`, `::1`) is called directly.
   *
   * In a CGI program HTTP_PROXY is not read, because a request's `Proxy` header sets it.
   *
   * @throws java.lang.IllegalArgumentException if a variable has no proxy that is supported; it names the variable, and
   *   shows no credentials
   */
  def fromEnvironment: Proxies = from(variable)

  /** From the whole environment: natively `System.getenv(name)` looks for the name in capitals. */
  private[client] def variable(name: String): Option[String] = Option(System.getenv().get(name))

  private[client] def from(environment: String => Option[String]): Proxies = {
    def set(name: String): Option[(String, String)] =
      environment(name).map(_.trim).filter(_.nonEmpty).map(name -> _)
    def either(name: String): Option[(String, String)] = set(name).orElse {
      val isForged = name == "http_proxy" && environment("REQUEST_METHOD").isDefined
      if (isForged) None else set(name.map(c => if (c >= 'a' && c <= 'z') (c - 32).toChar else c))
    }
    def proxy(name: String): Option[HttpProxy] = either(name).orElse(either("all_proxy")).map {
      case (from, url) =>
        HttpProxy.parse(url).fold(why => throw new IllegalArgumentException(s"$from: $why"), identity)
    }
    // which other programs read as well, in forms of their own
    val except = either("no_proxy").fold(Seq.empty[String])(_._2.split(',').toSeq).filter(isReadable)
    Proxies(proxy("http_proxy"), proxy("https_proxy"), except ++ Seq("localhost", "127.0.0.1", "[::1]"))
  }

  /** Whether an exception, in lower case, is about a host and port. */
  private def exception(text: String): (String, Int) => Boolean =
    if (text.contains('/')) {
      val network = Network.parse(text)
      (host, _) => network.exists(_.contains(host))
    } else ofHost(text)

  private def isReadable(exception: String): Boolean =
    if (exception.contains('/')) Network.parse(exception.trim).isDefined
    else split(exception.trim)._2 != NoPort

  private def ofHost(text: String): (String, Int) => Boolean = {
    val (named, port) = split(text)
    val isBelow       = named.startsWith(".") || named.startsWith("*.")
    val name          = named.stripPrefix("*").stripPrefix(".")
    val address       = Network.parse(named) // the same one can be written in several ways
    (host, called) =>
      (port == AllPorts || port == called) &&
        (named == "*" || (host == name && !isBelow) || (name.nonEmpty && host.endsWith("." + name)) ||
          address.exists(_.contains(host)))
  }

  private final val AllPorts = -1
  private final val NoPort   = -2

  /** Host, without brackets, and port, or `AllPorts`, or `NoPort` if it is none. IPv6 without brackets has no port. */
  private def split(text: String): (String, Int) = {
    val colon = text.lastIndexOf(':')
    val bare  = if (colon < 0 || text.endsWith("]") || (text.indexOf(':') < colon && !text.startsWith("[")))
      text
    else text.substring(0, colon)
    val port = if (bare.length == text.length) AllPorts else portOf(text.substring(colon + 1))
    (bare.stripPrefix("[").stripSuffix("]"), port)
  }

  private def portOf(digits: String): Int =
    if (digits.isEmpty || digits.length > 5 || !digits.forall(c => c >= '0' && c <= '9')) NoPort
    else if (digits.toInt < 1 || digits.toInt > 65535) NoPort
    else digits.toInt
}
