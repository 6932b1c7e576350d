package needletail.client.tunnel

import java.io.IOException
import java.nio.charset.StandardCharsets.ISO_8859_1

import needletail.http.http1.ResponseParser
import needletail.http.message.Status
import needletail.http.text.Authority
import needletail.io.{Address, ProxyHandshake}

/**
 * Asks a proxy for a tunnel to a server (RFC 9110 §9.3.6).
 *
 * @param authorization the value of Proxy-Authorization
 * @param agent the value of User-Agent
 * @throws java.lang.IllegalArgumentException if the host cannot be part of a request
 */
private[client] final class ConnectHandshake(
    authorization: Option[String],
    to: Address.Tcp,
    agent: Option[String]
) extends ProxyHandshake(
      ConnectHandshake.request(authorization, to, agent),
      ConnectHandshake.MaxAnswer,
      to.port
    ) {
  private val parser = new ResponseParser(ConnectHandshake.MaxAnswer, 100)
  private var from   = 0 // where the final answer begins: interim ones may precede it (RFC 9110 §15.2)

  /** A head without content, regardless of its fields; the server behind the proxy does not send first. */
  def accepts(bytes: Array[Byte], count: Int): Boolean = {
    val length = parser.parse(bytes, from, count, toHead = true)
    if (length == ResponseParser.Bad)
      throw new IOException(s"the proxy's answer is malformed: ${parser.error.message}")
    else if (length <= 0) false
    else {
      val code = parser.head.code
      if (code / 100 == 1 && code != Status.SwitchingProtocols.code) {
        from += length
        from < count && accepts(bytes, count)
      } else {
        if (code / 100 != 2) throw new ProxyRefusal(Status(code))
        if (from + length < count) throw new IOException("the proxy sent more than its answer")
        true
      }
    }
  }
}

/** The proxy responded with this status, so there is no tunnel. */
private[client] final class ProxyRefusal(val status: Status)
    extends IOException(s"the proxy refused the connection: $status")

private[client] object ConnectHandshake {
  private final val MaxAnswer = 16 * 1024

  private def request(authorization: Option[String], to: Address.Tcp, agent: Option[String]): Array[Byte] = {
    val authority = (if (to.host.contains(':')) s"[${to.host}]" else to.host) + ":" + to.port
    val bytes     = authority.getBytes(ISO_8859_1)
    if (!authority.forall(_ < 128) || !Authority.hasPort(bytes, 0, bytes.length))
      throw new IllegalArgumentException(
        "a proxy cannot be asked for a host that is neither a name nor an address"
      )
    val fields = agent.fold("")(a => s"User-Agent: $a\r\n") +
      authorization.fold("")(a => s"Proxy-Authorization: $a\r\n")
    s"CONNECT $authority HTTP/1.1\r\nHost: $authority\r\n$fields\r\n".getBytes(ISO_8859_1)
  }
}
