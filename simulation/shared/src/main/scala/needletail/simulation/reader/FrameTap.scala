package needletail.simulation.reader

/** Reads along, on a connection between the library's client and its server: both sides have to say what is valid. */
final class FrameTap(found: String => Unit) {
  private var asked                       = new Array[Byte](0)
  private var answered                    = new Array[Byte](0)
  private var ofClient: StrictFrameReader = null  // null before the answer
  private var ofServer: StrictFrameReader = null
  private var isNone                      = false // no WebSocket was opened

  /** The client has sent these bytes. */
  def client(bytes: Array[Byte], from: Int, count: Int): Unit =
    if (ofClient != null) ofClient.feed(bytes, from, count)
    else asked = asked ++ bytes.slice(from, from + count)

  /** The server has sent these bytes. */
  def server(bytes: Array[Byte], from: Int, count: Int): Unit =
    if (ofServer != null) ofServer.feed(bytes, from, count)
    else if (!isNone) {
      answered = answered ++ bytes.slice(from, from + count)
      StrictFrameReader.head(answered, answered.length).foreach { case (lines, length) =>
        begin(lines, length)
      }
    }

  private def begin(lines: List[String], length: Int): Unit =
    if (!lines.head.startsWith("HTTP/1.1 101 ")) isNone = true
    else
      StrictFrameReader.head(asked, asked.length) match {
        case None            => found("101 before the request was complete")
        case Some((_, head)) =>
          if (asked.length > head) found("frames before the answer to the handshake")
          val agreed = lines.filter(_.toLowerCase.startsWith("sec-websocket-extensions:")).mkString
          val packs  = agreed.contains("permessage-deflate")
          ofClient = reader(isClient = true, packs, !agreed.contains("client_no_context_takeover"))
          ofServer = reader(isClient = false, packs, !agreed.contains("server_no_context_takeover"))
          ofServer.feed(answered, length, answered.length - length)
      }

  private def reader(isClient: Boolean, packs: Boolean, remembers: Boolean) =
    new StrictFrameReader(isClient, packs, remembers, FrameTap.Nobody)(what =>
      found(s"${if (isClient) "a client" else "a server"} says $what")
    )

  /** Releases what it holds. */
  def end(): Unit = {
    if (ofClient != null) ofClient.end()
    if (ofServer != null) ofServer.end()
  }
}

private object FrameTap {
  object Nobody extends StrictFrameReader.Handler {
    def message(isText: Boolean, bytes: Array[Byte]): Unit = ()
    def close(code: Int, reason: String): Unit             = ()
  }
}
