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

  /** A head without content, regardless of its fields: what follows is from the server behind the proxy. */
  def accepts(bytes: Array[Byte], count: Int): Boolean = {
    val length = parser.parse(bytes, from, count, toHead = true)
    if (length == ResponseParser.Bad)
      throw new IOException(s"the proxy's answer is malformed: ${parser.error.message}")
    else if (length <= 0) false
    else {
      val code = parser.head.code
      if (code / 100 == 1 && code != Status.SwitchingProtocols.code) {
        from += length
        false
      } else {
        if (code / 100 != 2) throw new ProxyRefusal(Status(code))
        true
      }
    }
  }

  def wanted(bytes: Array[Byte], count: Int): Int = {
    val arrived = count - from
    if (arrived < ConnectHandshake.Least) ConnectHandshake.Least - arrived
    else
      bytes(count - 1) match { // which part of CRLF CRLF has arrived
        case '\r' => if (bytes(count - 2) == '\n') 1 else 3
        case '\n' => 2
        case _    => 4
      }
  }
}

/** The proxy responded with this status, so there is no tunnel. */
private[client] final class ProxyRefusal(val status: Status)
    extends IOException(s"the proxy refused the connection: $status")

private[client] object ConnectHandshake {
  private final val MaxAnswer = 16 * 1024

  /** Bytes of the shortest answer: "HTTP/1.1 200" and two line ends. */
  private final val Least = 16

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
