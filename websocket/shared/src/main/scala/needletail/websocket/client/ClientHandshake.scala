package needletail.websocket.client

import java.util.Base64

import needletail.async.AsyncPromise
import needletail.http.http1.ResponseParser
import needletail.http.message.{Headers, Status}
import needletail.http.text.{Ascii, ByteWriter}
import needletail.http.{Tunnel, TunnelHandler}
import needletail.websocket.frame.Compression
import needletail.websocket.handshake.Handshake
import needletail.websocket.socket.{SocketConnection, WebSocket, WebSocketListener, WebSocketRefused}

/**
 * The client's side of the opening handshake (RFC 6455 §4.1), on one connection.
 *
 * @param url for messages
 * @param authority what Host says unless `headers` have one
 * @throws java.lang.IllegalArgumentException if `headers` have what the handshake sets itself or has no place in it, or several Hosts
 */
private[websocket] final class ClientHandshake(
    val url: String,
    authority: String,
    target: String,
    headers: Headers,
    config: WebSocketClientConfig,
    part: PerLoopSockets,
    open: WebSocket => WebSocketListener
) {
  ClientHandshake.check(headers)
  private val key                                = Base64.getEncoder.encodeToString(part.nonce())
  private val parser                             = new ResponseParser(config.maxHead, 100)
  private var subprotocol: Option[String]        = None
  private var compression: Compression.Agreement = null
  private val own                                = config.webSocket

  /** The WebSocket, once it is open. */
  val opened = new AsyncPromise[WebSocket]

  def request: Array[Byte] = {
    val w = new ByteWriter(256)
    w.writeLatin1(s"GET $target HTTP/1.1\r\n")
    w.writeField("Host", headers.get("Host").getOrElse(authority))
    w.writeField("Upgrade", "websocket")
    w.writeField("Connection", "Upgrade")
    w.writeField("Sec-WebSocket-Key", key)
    w.writeField("Sec-WebSocket-Version", Handshake.Version)
    if (own.subprotocols.nonEmpty) w.writeField("Sec-WebSocket-Protocol", own.subprotocols.mkString(", "))
    own.compression.foreach(c => w.writeField("Sec-WebSocket-Extensions", c.offer))
    headers.remove("Host").toList.foreach { case (name, value) => w.writeField(name, value) }
    w.writeCrLf()
    w.taken
  }

  private var interim = 0 // responses read

  /** Whether the server has switched: interim responses may precede that (RFC 9110 §15.2). */
  var isAnswered = false

  /** The answer of a server that does not switch, while its body is read; null if there is none. */
  private var refused: RefusedAnswer = null

  /** Whether it has refused, and the body that may say why is still to come. */
  def isRefused: Boolean = refused != null

  /**
   * Reads an answer, or a part of the body of one that refuses. Returns the length, 0 if more bytes are needed. Throws
   * WebSocketRefused when nothing more is needed.
   */
  def read(bytes: Array[Byte], from: Int, until: Int): Int =
    if (refused == null) readHead(bytes, from, until)
    else {
      val used = refused.read(bytes, from, until)
      if (refused.isComplete) throw refused.failure
      used - from
    }

  private def readHead(bytes: Array[Byte], from: Int, until: Int): Int = {
    val n = parser.parse(bytes, from, until, toHead = false)
    if (n == ResponseParser.Bad)
      throw new WebSocketRefused(0, s"$url: the server's response is malformed: ${parser.error.message}")
    if (n > 0) {
      val code = parser.head.code
      isAnswered = code == Status.SwitchingProtocols.code
      interim += 1
      if (isAnswered) check()
      else if (code / 100 != 1) {
        refused = new RefusedAnswer(parser.head, s"$url: the server answered $code", config)
        if (refused.isComplete) throw refused.failure
      } else if (interim > ClientHandshake.MaxInterim)
        throw new WebSocketRefused(
          code,
          s"$url: the server sent more than ${ClientHandshake.MaxInterim} interim answers"
        )
    }
    Math.max(n, 0)
  }

  private def check(): Unit = {
    val head                 = parser.head
    def values(name: String) = {
      var all   = List.empty[String]
      var field = head.indexOf(name, 0)
      while (field >= 0) {
        all = head.value(field) :: all
        field = head.indexOf(name, field + 1)
      }
      all.reverse
    }
    def refuse(why: String) = throw new WebSocketRefused(head.code, s"$url: $why", head.toHeaders)
    if (!values("upgrade").exists(Ascii.same(_, "websocket")))
      refuse("the server switched to another protocol")
    if (!values("connection").flatMap(_.split(',')).exists(option => Ascii.same(option.trim, "upgrade")))
      refuse("the server's answer does not switch")
    if (values("sec-websocket-accept") != List(Handshake.acceptOf(key)))
      refuse("the server's Sec-WebSocket-Accept is wrong")
    values("sec-websocket-protocol") match {
      case Nil                                           => ()
      case List(name) if own.subprotocols.contains(name) => subprotocol = Some(name)
      case _ => refuse("the server chose a subprotocol that was not offered")
    }
    values("sec-websocket-extensions").filter(_.trim.nonEmpty) match {
      case Nil   => ()
      case names =>
        compression = own.compression.fold(null: Compression.Agreement)(_.agreed(names.mkString(",")))
        if (compression == null) refuse("the server chose an extension that was not offered")
    }
  }

  /** The WebSocket begins, in a turn of the tunnel. */
  def accepted(tunnel: Tunnel): TunnelHandler = {
    val codec  = if (compression == null) null else compression.codec()
    val name   = () => s" ($url)"
    val socket = new SocketConnection(tunnel, own, part, subprotocol, codec, name)
    val thrown = socket.begin(open)
    if (thrown == null) opened.succeed(socket) else opened.fail(thrown)
    socket
  }

  /** The connection ends before the handshake does: by `cause`, unless the server has refused and that is known. */
  def failed(cause: Throwable): Unit = {
    opened.fail(if (refused == null) cause else refused.failure)
    ()
  }
}

private[websocket] object ClientHandshake {

  /** Interim answers accepted before the final one; a server could send them without end. */
  private final val MaxInterim = 16

  /** Fields that the handshake sets, or that are about content and a connection which it does not have. */
  private val reserved = List(
    "upgrade",
    "connection",
    "sec-websocket-key",
    "sec-websocket-version",
    "sec-websocket-protocol",
    "sec-websocket-extensions",
    "sec-websocket-accept",
    "content-length",
    "transfer-encoding",
    "keep-alive",
    "te",
    "trailer",
    "expect"
  )

  private def check(headers: Headers): Unit = {
    headers.toList.foreach { case (name, _) =>
      if (reserved.exists(Ascii.same(name, _)))
        throw new IllegalArgumentException(
          s"$name has no place in the request for a WebSocket, or is set by its client"
        )
    }
    if (headers.getAll("Host").lengthCompare(1) > 0)
      throw new IllegalArgumentException("a request has one Host only")
  }
}
