package needletail.simulation.peer.websocket

import scala.collection.mutable.ArrayBuffer

import needletail.simulation.peer.{Peer, RawClient}
import needletail.simulation.reader.{Mark, PeerMessages, StrictFrameReader}
import needletail.simulation.service.WebSocketService
import needletail.simulation.world.World

/** A client of a WebSocket that writes and reads its frames itself: some of them badly, and some at a bad time. */
final class RawWebSocketClient(world: World, number: Int, port: Int, sockets: WebSocketService)
    extends StrictFrameReader.Handler with Peer {
  import RawWebSocketClient._

  private val random = world.random.split()
  private val kind   = random.pick(WebSocketService.kinds)
  private val offer  = if (random.percent(60)) random.pick(offers) else ""
  private val packs  = sockets.compresses && offer.nonEmpty
  private val ending = random.pick(endings)
  private val frames = new Frames(random, isClient = true)
  private val eager  = random.percent(15) // does not wait for the handshake's answer

  private val (badBytes, badCode) =
    if (ending == Malformed) frames.malformed(packs, sockets.maxMessage) else (null, 0)
  private val closesWith = if (random.percent(80)) WebSocketService.closeOf(number) else 1005

  private val parts     = new ArrayBuffer[RawClient.Part]
  private var said      = 0     // messages sent
  private var pings     = Vector.empty[Array[Byte]]
  private var pongs     = 0
  private var heard     = 0     // messages
  private var bytesOf   = 0     // those of the stream that the server sends
  private var isEnding  = false // its end has been put behind what it sends
  private var hasClosed = false // and has been sent

  private var head                      = new Array[Byte](0)
  private var status                    = 0
  private var reader: StrictFrameReader = null
  private var closedBy                  = 0 // the code of the server's close frame

  add(handshake)(())
  for (i <- 0 until random.skewed(20)) {
    val message = PeerMessages(number, i)
    val all     = frames.message(message.isText, message.bytes, packs)
    all.zipWithIndex.foreach { case (frame, j) =>
      add(frame) { if (j == all.length - 1) said += 1 }
      if (random.percent(15)) addPing()
    }
  }

  private def handshake: Array[Byte] = {
    val fields = Seq(
      s"GET /ws/$kind HTTP/1.1",
      "Host: a",
      "Connection: keep-alive, Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      s"Sec-WebSocket-Key: $Key",
      s"X-Peer: $number"
    ) ++ (if (offer.isEmpty) Nil else Seq(s"Sec-WebSocket-Extensions: $offer")) ++
      (if (badCode == 0) Nil else Seq(s"X-Bad: $badCode"))
    Frames.ascii(fields.mkString("", "\r\n", "\r\n\r\n"))
  }

  private def addPing(): Unit = {
    val payload = Frames.ascii(Mark(number, pings.length)).take(random.below(10))
    add(frames.ping(payload)) { pings :+= payload }
  }

  private def add(bytes: Array[Byte])(whenSent: => Unit): Unit = {
    val index = parts.size
    parts += new RawClient.Part(
      bytes,
      0,
      false,
      () => {
        whenSent
        if (index == parts.size - 1) nothingLeft()
      }
    )
    ()
  }

  private def nothingLeft(): Unit = if (!isEnding && closedBy == 0) ending match {
    case Closes =>
      isEnding = true
      add(frames.close(closesWith, Mark(number, 0))) { hasClosed = true }
    case Malformed =>
      isEnding = true
      add(badBytes)(())
    case _ => ()
  }

  private val end = world.network.connect(port)

  private val behaviour = RawClient.Behaviour(random, parts.map(_.bytes.length).sum)

  private val client: RawClient =
    if (end == null) null
    else
      new RawClient(world, s"client $number", end, parts, behaviour)(
        read,
        mayGoOn,
        () =>
          status != 0 && status != 101 || ending == Stays && !isEnding && parts.forall(
            _.isSent
          ) && hasHeardAll,
        isReset => ended(isReset)
      )

  def isOver: Boolean = client == null || client.isOver

  private def mayGoOn(part: RawClient.Part): Boolean = {
    if (closedBy != 0 && !(part eq answerToClose)) part.isLeftOut = true
    if (status != 0 && status != 101) part.isLeftOut = true
    part.isLeftOut || eager || status == 101 || (part eq parts.head)
  }

  private def hasHeardAll: Boolean = kind match {
    case "talk"                          => heard == WebSocketService.talks(number)
    case k if WebSocketService.isEcho(k) => heard == said
    case _                               => true
  }

  // what it reads

  private def found(what: String): Unit = world.found(s"client $number of ${kind}: $what")

  private def read(bytes: Array[Byte], count: Int): Unit =
    if (reader != null) reader.feed(bytes, 0, count)
    else if (status == 0) {
      head = head ++ bytes.take(count)
      StrictFrameReader.head(head, head.length).foreach { case (lines, length) =>
        answered(lines)
        if (reader != null) reader.feed(head, length, head.length - length)
      }
    }

  private def answered(lines: List[String]): Unit = {
    val fields = lines.tail.map { line =>
      val colon = line.indexOf(':')
      line.take(colon).toLowerCase -> line.drop(colon + 1).trim
    }.toMap
    if (!lines.head.matches("HTTP/1\\.1 [1-5]\\d\\d .*")) found(s"an answer '${lines.head}'")
    status = lines.head.slice(9, 12).toInt
    if (status == 101) {
      val extensions = fields.getOrElse("sec-websocket-extensions", "")
      if (fields.get("sec-websocket-accept") != Some(Accept)) found("another Sec-WebSocket-Accept")
      if (!fields.get("upgrade").exists(_.equalsIgnoreCase("websocket"))) found("101 without Upgrade")
      if (extensions.startsWith("permessage-deflate") != packs)
        found(s"extensions '$extensions' for '$offer'")
      val forgets = extensions.contains("server_no_context_takeover")
      if (packs && offer.contains("server_no_context_takeover") && !forgets)
        found(s"'$extensions' for '$offer'")
      reader = new StrictFrameReader(isClient = false, packs, !forgets, this)(found)
    } else if (status < 400) found(s"status $status")
  }

  def message(isText: Boolean, bytes: Array[Byte]): Unit = {
    val isOwn = kind match {
      case "talk" => PeerMessages(PeerMessages.serverTo(number), heard).is(isText, bytes)
      case "room" =>
        PeerMessages.markOf(bytes).startsWith(s"m${WebSocketService.RoomPeer}-") && isNextInRoom(bytes)
      case "closes" => false
      case "source" =>
        val mark = Mark(number, 0)
        val own  = Mark.content(mark, bytesOf + bytes.length).drop(bytesOf)
        bytesOf += bytes.length
        !isText && java.util.Arrays.equals(own, bytes)
      case _ => heard < said + 1 && PeerMessages(number, heard).is(isText, bytes)
    }
    if (!isOwn) found(s"message $heard is ${bytes.length} bytes of ${PeerMessages.markOf(bytes)}")
    heard += 1
  }

  private var lastInRoom = -1

  private def isNextInRoom(bytes: Array[Byte]): Boolean = {
    val mark  = PeerMessages.markOf(bytes)
    val index = mark.substring(mark.indexOf('-') + 1, mark.length - 1).toInt
    val isOwn = index > lastInRoom && java.util.Arrays.equals(
      PeerMessages(WebSocketService.RoomPeer, index).bytes,
      bytes
    )
    lastInRoom = index
    isOwn
  }

  override def ping(bytes: Array[Byte]): Unit =
    if (!isEnding && closedBy == 0 && !behaviour.halfCloses) add(frames.pong(bytes))(())

  override def pong(bytes: Array[Byte]): Unit = {
    // one that is under way when it is answered has been sent as far as the server is concerned
    if (pongs < pings.length && !java.util.Arrays.equals(pings(pongs), bytes)) found("a pong to no ping")
    pongs += 1
  }

  private var answerToClose: RawClient.Part = null

  def close(code: Int, reason: String): Unit = {
    closedBy = code
    val isOwn = code match {
      case 1000               => kind == "source"
      case 1005               => isEnding && closesWith == 1005
      case 1002 | 1007 | 1009 => isEnding && code == badCode
      case c if c >= 4500     => kind == "closes" && c == WebSocketService.closesWith(number)
      case c if c >= 4000     => isEnding && ending == Closes && c == closesWith
      case c                  => sockets.checks.isUsual(c)
    }
    if (!isOwn) found(s"it is closed with $code '$reason'")
    else if (ending == Closes && hasClosed && code == closesWith) {
      if (pongs != pings.length) found(s"$pongs pongs to ${pings.length} pings")
      if (kind == "echo" && heard != said) found(s"$heard of $said messages came back")
    }
    if (code == 1000 && kind == "source" && bytesOf != WebSocketService.sourceSize(number))
      found(s"$bytesOf bytes of a stream of ${WebSocketService.sourceSize(number)}")
    if (!isEnding && !behaviour.halfCloses) {
      isEnding = true
      add(frames.close(code, ""))(())
      answerToClose = parts.last
    }
  }

  private def ended(isReset: Boolean): Unit =
    if (reader != null && !isReset && closedBy != 0 && reader.isInFrame) found("it ends within a frame")

  def check(): Unit = {
    if (client != null && client.isDisappointed && status == 0) found("no answer to the handshake")
    else if (client != null && client.isDisappointed) found(s"the end did not come, after $heard messages")
    if (reader != null) reader.end()
  }
}

private[peer] object RawWebSocketClient {
  sealed abstract class Ending
  case object Closes    extends Ending
  case object Malformed extends Ending
  case object Stays     extends Ending

  val endings: Seq[Ending] = Seq(Closes, Closes, Closes, Malformed, Stays)

  // RFC 6455 §1.3
  final val Key    = "dGhlIHNhbXBsZSBub25jZQ=="
  final val Accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

  val offers: Seq[String] = Seq(
    "permessage-deflate",
    "permessage-deflate; client_max_window_bits",
    "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
    "permessage-deflate; server_max_window_bits=10",
    "x-other; a=1, permessage-deflate"
  )
}
