package needletail.examples.reference

import needletail.gateway.GatewayRequest
import needletail.http.{ByteStream, MediaType}
import needletail.routing._
import needletail.websocket.{webSocket, Broadcast, PerMessageDeflate, WebSocketConfig}

/** Routes that HTTP servers are commonly tested and measured with. */
object Reference {
  private val hello = "Hello, World!".ok.contentType("text/plain")
  private val json  = Response.ok.contentType(MediaType.Json)

  val routes: Routes = Routes(
    GET / "plaintext" to hello,
    GET / "json" to json.text(Message("Hello, World!").toJson),
    POST / "echo" + request to (echo(_)),
    GET / "big" + ?("bytes", arg[Long].filter(_ >= 0, "{NAME} must not be negative")) to (bytes =>
      big(bytes)
    ),
    GET / "status" / arg[Int]("code").filter(
      c => c >= 200 && c <= 599,
      "{NAME} must be from 200 to 599"
    ) to (status(_)),
    GET / "request" / arg[String] + request to { case (_, request) => about(request) }
  )

  /**
   * The same, with `count` additional typed routes, named r100 and so on in both directions, to measure routing among
   * many.
   */
  def withTyped(count: Int): Routes = routes ++ Routes(
    (100 - count / 2 until 100 - count / 2 + count).map { n =>
      GET / "api" / s"r$n" / arg[Int] / "item" / arg[String] + ?("limit", arg[Int]) to {
        case (id, name, limit) =>
          s"$id $name $limit".ok
      }
    }*
  )

  /** Echoes the messages of WebSockets at `/ws`; at `/news` everybody is sent them. */
  def webSockets(compression: Option[PerMessageDeflate]): Routes = {
    val echo = echoMessages(compression)
    val news = new Broadcast
    Routes(
      GET / "ws" to echo,
      GET / "news" to webSocket { socket =>
        news.join(socket)
        message => news.send(message)
      }
    )
  }

  private final case class Message(message: String) {
    def toJson: String = "{\"message\":\"" + message + "\"}"
  }

  /** Echoes messages. */
  private def echoMessages(compression: Option[PerMessageDeflate]) =
    webSocket.withConfig(WebSocketConfig(maxMessage = 16 * 1024 * 1024, compression = compression)) {
      socket => message =>
        socket ! message
    }

  /** Echoes the content as it arrives, with its type; with a length if it has one. */
  private def echo(request: Request): Response = {
    val response = Response.ok.contentType(request.header("Content-Type").getOrElse(MediaType.Bytes))
    val body     = request.body
    if (body.length >= 0) response.stream(body.stream, body.length) else response.stream(body.stream)
  }

  /** The variables of a web server in front; without one only `script` differs. */
  private def about(request: Request): Response = {
    val script = GatewayRequest.of(request).fold("-")(_.scriptName)
    val scheme = if (request.connection.isSecure) "https" else "http"
    s"${request.method} ${request.target} host=${request.authority} scheme=$scheme script=$script " +
      s"remote=${request.connection.remoteAddress} cookie=${request.cookie("a").getOrElse("-")}"
  }.ok

  /** Created when it is first requested. */
  private lazy val piece = {
    val xs = new Array[Byte](64 * 1024)
    java.util.Arrays.fill(xs, 'x'.toByte)
    xs
  }

  /** Never more than one piece in memory, however many are requested. */
  private def big(bytes: Long): Response = {
    val whole  = Iterator.continually(piece)
    var left   = bytes
    val pieces = whole.takeWhile(_ => left > 0).map { p =>
      val next = if (left < p.length) java.util.Arrays.copyOf(p, left.toInt) else p
      left -= next.length
      next
    }
    Response.ok.contentType(MediaType.Bytes).stream(ByteStream.fromIterator(pieces), bytes)
  }

  /** With the field that a status requires, if any (RFC 9110 §15). */
  private def status(code: Int): Response = {
    val response = Response(Status(code))
    code match {
      case 401 => response.header("WWW-Authenticate", "Basic realm=\"reference\"")
      case 405 => response.header("Allow", "GET, HEAD")
      case 407 => response.header("Proxy-Authenticate", "Basic realm=\"reference\"")
      case 416 => response.header("Content-Range", "bytes */0")
      case 426 => response.header("Upgrade", "HTTP/1.1").header("Connection", "upgrade")
      case c if c / 100 == 3 && c != 304 => response.header("Location", "/plaintext")
      case _                             => response
    }
  }
}
