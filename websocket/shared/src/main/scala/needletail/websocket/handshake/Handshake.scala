package needletail.websocket.handshake

import needletail.http.http1.ConnectionRules
import needletail.http.message.{Headers, Method, Status}
import needletail.http.text.{Ascii, Origin}
import needletail.http.{Request, Response, Upgrade}
import needletail.websocket.config.{Origins, WebSocketConfig}
import needletail.websocket.frame.Compression

/** The opening handshake (RFC 6455 §4). */
private[needletail] object Handshake {
  final val Version = "13"

  /** RFC 6455 §1.3. */
  private final val Guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

  /** The value of Sec-WebSocket-Accept for a key. */
  def acceptOf(key: String): String = {
    val bytes = new Array[Byte](key.length)
    var i     = 0
    while (i < bytes.length) {
      bytes(i) = key.charAt(i).toByte
      i += 1
    }
    Accept.here.get().of(bytes, 0)
  }

  /** Whether these bytes are the base64 of 16. */
  def isKey(bytes: Array[Byte], from: Int, until: Int): Boolean =
    until - from == KeyLength && bytes(until - 1) == '=' && bytes(until - 2) == '=' && {
      var i = from
      while (i < until - 2 && isDigit(bytes(i))) i += 1
      i == until - 2
    }

  /** Whether it is a digit of base64. */
  private def isDigit(c: Byte): Boolean =
    c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/'

  private final val KeyLength = 24
  private final val Digits    = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

  /** Computes values of Sec-WebSocket-Accept; one for each thread, since its arrays are used again. */
  private final class Accept {
    private val padded = Sha1.room(KeyLength + Guid.length)
    private val digest = new Array[Byte](20)
    private val chars  = new Array[Char](28)
    private val sha    = new Sha1.Work

    /** Of the key, of 24 bytes, that begins there. */
    def of(bytes: Array[Byte], from: Int): String = {
      System.arraycopy(bytes, from, padded, 0, KeyLength)
      var i = 0
      while (i < Guid.length) {
        padded(KeyLength + i) = Guid.charAt(i).toByte
        i += 1
      }
      sha.digest(padded, KeyLength + Guid.length, digest)
      base64()
    }

    /** The base64 of the digest. Not by the library, which natively leaves much to the collector. */
    private def base64(): String = {
      var i = 0
      while (i < 27) { // six bits after the other; the last has four
        val bit  = 6 * i
        val pair =
          (digest(bit / 8) & 0xff) << 8 | (if (bit / 8 + 1 < digest.length) digest(bit / 8 + 1) & 0xff else 0)
        chars(i) = Digits.charAt(pair >> (10 - bit % 8) & 0x3f)
        i += 1
      }
      chars(27) = '='
      new String(chars)
    }
  }

  private object Accept {
    val here: ThreadLocal[Accept] = ThreadLocal.withInitial(() => new Accept)
  }

  /** The response to a request that cannot open a WebSocket; null if it can (RFC 6455 §4.2.1). */
  def refusal(request: Request, config: WebSocketConfig): Upgrade.Refused = {
    val isAsked = request.minorVersion >= 1 && hasMember(request, "Upgrade", "websocket") &&
      hasMember(request, "Connection", "upgrade")
    val isHead =
      request.method.isHead // opens nothing, whatever it asks for, and is answered as a GET that does not ask
    if ((request.method ne Method.GET) && !isHead) new Upgrade.Refused(notGet)
    else if (!isAsked || isHead) new Upgrade.Refused(notAsked)
    else if (!isOnly(request, "Sec-WebSocket-Version", Version))
      new Upgrade.Refused(otherVersion)
    else if (!hasKey(request)) new Upgrade.Refused(badKey)
    else if (!isFromHere(request, config.origins))
      new Upgrade.Refused(if (isOfOtherPort(request)) otherPort else otherOrigin)
    else null
  }

  /** Whether the only field of that name has that value. */
  private def isOnly(request: Request, name: String, value: String): Boolean = {
    val head  = request.head
    val field = head.indexOf(name, 0)
    field >= 0 && head.indexOf(name, field + 1) < 0 &&
    Ascii.same(head.bytes, head.valueStart(field), head.valueEnd(field), value)
  }

  private def hasKey(request: Request): Boolean = {
    val head  = request.head
    val field = head.indexOf("Sec-WebSocket-Key", 0)
    field >= 0 && head.indexOf("Sec-WebSocket-Key", field + 1) < 0 &&
    isKey(head.bytes, head.valueStart(field), head.valueEnd(field))
  }

  /** The fields of a response that accepts a request without a refusal. */
  def accepted(request: Request, subprotocol: Option[String], compression: Compression.Agreement): Headers = {
    val head   = request.head
    val key    = head.valueStart(head.indexOf("Sec-WebSocket-Key", 0))
    val accept = Headers.trusted(Array("Sec-WebSocket-Accept", Accept.here.get().of(head.bytes, key)))
    val spoken = subprotocol.fold(accept)(accept.add("Sec-WebSocket-Protocol", _))
    if (compression == null) spoken else spoken.add("Sec-WebSocket-Extensions", compression.answer)
  }

  /** The compression that both sides know; null if none. */
  def compression(request: Request, ours: Option[Compression]): Compression.Agreement = ours match {
    case Some(known) => known.accept(values(request, "Sec-WebSocket-Extensions").mkString(","))
    case None        => null
  }

  /** The first of our protocols that the client also offers. */
  def subprotocol(request: Request, ours: Seq[String]): Option[String] =
    if (ours.isEmpty) None
    else {
      val theirs = members(request, "Sec-WebSocket-Protocol").toSet
      ours.find(theirs)
    }

  /** The members of a list in all fields of that name. */
  def members(request: Request, name: String): List[String] =
    values(request, name).flatMap(_.split(',')).map(_.trim).filter(_.nonEmpty)

  /** The values of the fields of that name, in order. Not by `Request.headers`, which makes strings of all fields. */
  private def values(request: Request, name: String): List[String] = {
    val head  = request.head
    var all   = List.empty[String]
    var field = head.indexOf(name, 0)
    while (field >= 0) {
      all = head.value(field) :: all
      field = head.indexOf(name, field + 1)
    }
    if (all.lengthCompare(1) > 0) all.reverse else all
  }

  /** Whether a list in all fields of that name has a member, in whatever case. */
  private def hasMember(request: Request, name: String, member: String): Boolean =
    ConnectionRules.hasMember(request.head, name, member)

  private def isFromHere(request: Request, allowed: Origins): Boolean =
    allowed == Origins.Any || (values(request, "Origin") match {
      case Nil          => true
      case List(origin) =>
        Origin.isOf(origin, request.authority) || (allowed match {
          case Origins.Listed(origins) => origins.exists(Ascii.same(_, origin))
          case _                       => false
        })
      case _ => false
    })

  private def isOfOtherPort(request: Request): Boolean = values(request, "Origin") match {
    case List(origin) => Origin.isOfOtherPort(origin, request.authority)
    case _            => false
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
  private val otherPort   =
    Response(Status.Forbidden).text(s"pages of this origin may not connect; ${Origin.hostHint}")

  private def required(why: String): Response = Response(Status.UpgradeRequired)
    .text(why)
    .header("Upgrade", "websocket")
    .header("Connection", "upgrade")
    .header("Sec-WebSocket-Version", Version)
}
