package needletail.websocket.handshake

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.Base64

import needletail.http.message.{Headers, Method, Status}
import needletail.http.text.Ascii
import needletail.http.{Request, Response, Upgrade}
import needletail.websocket.config.{Origins, WebSocketConfig}
import needletail.websocket.frame.Compression

/** The opening handshake (RFC 6455 §4). */
private[websocket] object Handshake {
  final val Version = "13"

  /** RFC 6455 §1.3. */
  private final val Guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

  /** The value of Sec-WebSocket-Accept for a key. */
  def acceptOf(key: String): String =
    Base64.getEncoder.encodeToString(Sha1((key + Guid).getBytes(ISO_8859_1)))

  /** Whether it is the base64 of 16 bytes. */
  def isKey(key: String): Boolean = key.length == 24 && key.endsWith("==") &&
    (try Base64.getDecoder.decode(key).length == 16
    catch { case _: IllegalArgumentException => false })

  /** The response to a request that cannot open a WebSocket; null if it can (RFC 6455 §4.2.1). */
  def refusal(request: Request, config: WebSocketConfig): Upgrade.Refused = {
    val keys = request.headers.getAll("Sec-WebSocket-Key")
    if (request.method ne Method.GET) new Upgrade.Refused(notGet)
    else if (
      request.minorVersion < 1 || !members(request, "Upgrade").exists(Ascii.same(_, "websocket")) ||
      !members(request, "Connection").exists(Ascii.same(_, "upgrade"))
    ) new Upgrade.Refused(notAsked)
    else if (request.headers.getAll("Sec-WebSocket-Version") != List(Version))
      new Upgrade.Refused(otherVersion)
    else if (keys.lengthCompare(1) != 0 || !isKey(keys.head)) new Upgrade.Refused(badKey)
    else if (!isFromHere(request, config.origins)) new Upgrade.Refused(otherOrigin)
    else null
  }

  /** The fields of a response that accepts. */
  def accepted(request: Request, subprotocol: Option[String], compression: Compression.Agreement): Headers = {
    val accept = Headers("Sec-WebSocket-Accept" -> acceptOf(request.header("Sec-WebSocket-Key").get))
    val spoken = subprotocol.fold(accept)(accept.add("Sec-WebSocket-Protocol", _))
    if (compression == null) spoken else spoken.add("Sec-WebSocket-Extensions", compression.answer)
  }

  /** The compression that both sides know; null if none. */
  def compression(request: Request, ours: Option[Compression]): Compression.Agreement = ours match {
    case Some(known) => known.accept(request.headers.getAll("Sec-WebSocket-Extensions").mkString(","))
    case None        => null
  }

  /** The first of ours that the client speaks too. */
  def subprotocol(request: Request, ours: Seq[String]): Option[String] =
    if (ours.isEmpty) None
    else {
      val theirs = members(request, "Sec-WebSocket-Protocol").toSet
      ours.find(theirs)
    }

  /** The members of a list in all fields of that name. */
  def members(request: Request, name: String): List[String] =
    request.headers.getAll(name).flatMap(_.split(',')).map(_.trim).filter(_.nonEmpty)

  private def isFromHere(request: Request, allowed: Origins): Boolean =
    allowed == Origins.Any || (request.headers.getAll("Origin") match {
      case Nil          => true
      case List(origin) =>
        isSame(origin, request.authority) || (allowed match {
          case Origins.Listed(origins) => origins.exists(Ascii.same(_, origin))
          case _                       => false
        })
      case _ => false
    })

  /** Whether an origin (RFC 6454 §6.1) has that host and port. */
  private def isSame(origin: String, authority: String): Boolean = {
    val scheme = origin.indexOf("://")
    val name   = origin.substring(0, Math.max(0, scheme))
    val port   = if (Ascii.same(name, "https")) ":443" else if (Ascii.same(name, "http")) ":80" else null
    port != null && {
      Ascii.same(
        origin.substring(scheme + 3).stripSuffix(port),
        // the port that a proxy was asked on is the scheme's if it is left out
        authority.stripSuffix(port)
      )
    }
  }

  private val notGet =
    Response(Status.MethodNotAllowed).text("a WebSocket is opened by GET").header("Allow", "GET")
  private val notAsked     = required("this is a WebSocket")
  private val otherVersion = required(s"the only version of WebSocket here is $Version")
  private val badKey       =
    Response(
      Status.BadRequest
    ).text("Sec-WebSocket-Key must be the base64 of 16 bytes, and must be there once")
  private val otherOrigin = Response(Status.Forbidden).text("pages of this origin may not connect")

  private def required(why: String): Response = Response(Status.UpgradeRequired)
    .text(why)
    .header("Upgrade", "websocket")
    .header("Connection", "upgrade")
    .header("Sec-WebSocket-Version", Version)
}
