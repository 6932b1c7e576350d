package needletail.io

import java.io.IOException

import needletail.io.platform.{Interest, Socket}

/**
 * What is exchanged with a proxy on a new connection, before it leads to the server behind: a protocol where this side
 * speaks first, with one request and one answer.
 *
 * @param request the bytes to send
 * @param maxAnswer bytes of the longest answer
 * @param port the server's, which TLS sessions are kept for
 */
private[needletail] abstract class ProxyHandshake(
    private[io] val request: Array[Byte],
    private[io] val maxAnswer: Int,
    private[io] val port: Int
) {

  /**
   * Whether `bytes`, of which `count` have arrived, are the whole answer and let the connection through. The array must
   * not be kept. Throws an IOException if they do not.
   */
  def accepts(bytes: Array[Byte], count: Int): Boolean

  /**
   * How many bytes, at least one, the answer certainly still lacks after these, which `accepts` has seen and not accepted.
   * No more are read at a time: what follows the answer is the server's, which may send first.
   */
  def wanted(bytes: Array[Byte], count: Int): Int
}

/** A proxy that makes tunnels to servers of any protocol. `HttpProxy` of `needletail-client` is one. */
trait TunnelProxy {

  /** Where it is. */
  def address: Address.Tcp

  /** The handshake on a new connection to the proxy that opens a tunnel to `to`. */
  private[needletail] def handshake(to: Address.Tcp): ProxyHandshake
}

/** The exchange on one connected socket. */
private[io] final class ProxyExchange(handshake: ProxyHandshake) {
  private val answer = new Array[Byte](handshake.maxAnswer)
  private var sent   = 0
  private var count  = 0

  /** Goes on. Returns the readiness to wait for; `Interest.None` when the socket leads to the server. */
  def goOn(socket: Socket): Int = {
    val request = handshake.request
    var read    = 1
    if (sent < request.length) sent += socket.write(request, sent, request.length - sent)
    if (sent < request.length) Interest.Write
    else {
      var isDone = false
      while (!isDone && read > 0) {
        if (count == answer.length) throw new IOException("the proxy's answer is too long")
        read = socket.read(answer, count, math.min(answer.length - count, handshake.wanted(answer, count)))
        if (read < 0) throw new IOException("the proxy ended the connection")
        count += read
        isDone = read > 0 && handshake.accepts(answer, count)
      }
      if (isDone) Interest.None else Interest.Read
    }
  }
}
