package needletail.io.proxyprotocol

import java.io.IOException

import needletail.fuzz.{Check, FuzzTarget, Pieces}

/**
 * PROXY headers by [[ProxyHeader]]: the same wherever they are split, with no byte taken that is beyond them; those of
 * version 1 by a regular expression, too.
 */
object ProxyHeaderFuzz extends FuzzTarget("proxy-header") {
  private val Line =
    """(?s)PROXY (?:UNKNOWN(?: [^\n]*)?|(TCP4|TCP6) ([^ \n]+) ([^ \n]+) (\d{1,5}) (\d{1,5}))\r\n.*""".r

  def check(data: Array[Byte]): Unit = {
    val whole = header(data, Array(data.length))
    Pieces.of(data.length).foreach(ends =>
      Check.same(s"in pieces to ${ends.mkString(" ")}", header(data, ends), whole)
    )
    whole.foreach { case (length, client, server, isSecure) =>
      Check(!isSecure || data(0) != 'P' && length > 16, "a header without extensions says that TLS is used")
      Check((client == null) == (server == null), s"$client $server")
      val rest = data.take(length) ++ Check.bytes("GET / HTTP/1.1\r\n")
      Check.same("with more after it", header(rest, Array(rest.length)), whole)
      if (data(0) == 'P') Check.text(data) match {
        case Line(kind, _, _, fromPort, toPort) =>
          Check.same("addresses", kind != null, client != null)
          if (kind != null) {
            Check.same("the client's port", client.split(':').last.toInt, fromPort.toInt)
            Check.same("the server's port", server.split(':').last.toInt, toPort.toInt)
          }
        case text => Check(holds = false, s"another reader refuses it: $text")
      }
    }
  }

  override def read(data: Array[Byte]): Unit = { header(data, Array(data.length)); () }

  /** Its length, the addresses and whether the client uses TLS; None if it is malformed or incomplete. */
  private def header(data: Array[Byte], ends: Array[Int]): Option[(Int, String, String, Boolean)] = {
    val header = new ProxyHeader
    var at     = 0
    try {
      ends.foreach { end =>
        while (at < end && header.wanted > 0) {
          val n = Math.min(header.wanted, end - at)
          System.arraycopy(data, at, header.bytes, header.position, n)
          at += n
          header.add(n)
        }
      }
      if (header.wanted == 0 && at > 0) Some((at, header.client, header.server, header.isSecure)) else None
    } catch { case _: IOException => None }
  }
}
