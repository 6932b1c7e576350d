package needletail.simulation.visit

import scala.collection.mutable.ArrayBuffer

import needletail.simulation.reader.{Mark, SocketReader, Talk}
import needletail.simulation.service.Sockets
import needletail.simulation.world.World

/** A client of a WebSocket that writes and reads its frames itself: some of them badly, and some at a bad time. */
final class SocketVisit(world: World, number: Int, port: Int, sockets: Sockets) extends SocketReader.Heard {
  import SocketVisit._

  private val dice   = world.dice.split()
  private val kind   = dice.pick(Sockets.kinds)
  private val offer  = if (dice.chance(60)) dice.pick(offers) else ""
  private val packs  = sockets.compresses && offer.nonEmpty
  private val ending = dice.pick(endings)
  private val frames = new Frames(dice, isClient = true)
  private val eager  = dice.chance(15) // does not wait for the handshake's answer

  private val (badBytes, badCode) =
    if (ending == Malformed) frames.malformed(packs, sockets.maxMessage) else (null, 0)
  private val closesWith = if (dice.chance(80)) Sockets.closeOf(number) else 1005

  private val parts     = new ArrayBuffer[Visitor.Part]
  private var said      = 0     // messages sent
  private var pings     = Vector.empty[Array[Byte]]
  private var pongs     = 0
  private var heard     = 0     // messages
  private var bytesOf   = 0     // those of the stream that the server sends
  private var isEnding  = false // its end has been put behind what it sends
  private var hasClosed = false // and has been sent

  private var head                 = new Array[Byte](0)
  private var status               = 0
  private var reader: SocketReader = null
  private var closedBy             = 0 // the code of the server's close frame

  add(handshake)(())
  for (i <- 0 until dice.size(20)) {
    val message = Talk(number, i)
    val all     = frames.message(message.isText, message.bytes, packs)
    all.zipWithIndex.foreach { case (frame, j) =>
      add(frame) { if (j == all.length - 1) said += 1 }
      if (dice.chance(15)) addPing()
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
    val payload = Frames.ascii(Mark(number, pings.length)).take(dice.below(10))
    add(frames.ping(payload)) { pings :+= payload }
  }

  private def add(bytes: Array[Byte])(whenSent: => Unit): Unit = {
    val index = parts.size
    parts += new Visitor.Part(
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

  private val manner = Visitor.Manner(dice, parts.map(_.bytes.length).sum)

  private val visitor: Visitor =
    if (end == null) null
    else
      new Visitor(world, s"visitor $number", end, parts, manner)(
        read,
        mayGoOn,
        () =>
          status != 0 && status != 101 || ending == Stays && !isEnding && parts.forall(
            _.isSent
          ) && hasHeardAll,
        isReset => ended(isReset)
      )

  def isOver: Boolean = visitor == null || visitor.isOver

  private def mayGoOn(part: Visitor.Part): Boolean = {
    if (closedBy != 0 && !(part eq answerToClose)) part.isLeftOut = true
    if (status != 0 && status != 101) part.isLeftOut = true
    part.isLeftOut || eager || status == 101 || (part eq parts.head)
  }

  private def hasHeardAll: Boolean = kind match {
    case "talk"                 => heard == Sockets.talks(number)
    case k if Sockets.isEcho(k) => heard == said
    case _                      => true
  }

  // what it reads

  private def found(what: String): Unit = world.found(s"visitor $number of ${kind}: $what")

  private def read(bytes: Array[Byte], count: Int): Unit =
    if (reader != null) reader.feed(bytes, 0, count)
    else if (status == 0) {
      head = head ++ bytes.take(count)
      SocketReader.head(head, head.length).foreach { case (lines, length) =>
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
      reader = new SocketReader(isClient = false, packs, !forgets, this)(found)
    } else if (status < 400) found(s"status $status")
  }

  def message(isText: Boolean, bytes: Array[Byte]): Unit = {
    val isOwn = kind match {
      case "talk"   => Talk(Talk.serverTo(number), heard).is(isText, bytes)
      case "room"   => Talk.markOf(bytes).startsWith(s"m${Sockets.RoomPeer}-") && isNextInRoom(bytes)
      case "closes" => false
      case "source" =>
        val mark = Mark(number, 0)
        val own  = Mark.content(mark, bytesOf + bytes.length).drop(bytesOf)
        bytesOf += bytes.length
        !isText && java.util.Arrays.equals(own, bytes)
      case _ => heard < said + 1 && Talk(number, heard).is(isText, bytes)
    }
    if (!isOwn) found(s"message $heard is ${bytes.length} bytes of ${Talk.markOf(bytes)}")
    heard += 1
  }

  private var lastInRoom = -1

  private def isNextInRoom(bytes: Array[Byte]): Boolean = {
    val mark  = Talk.markOf(bytes)
    val index = mark.substring(mark.indexOf('-') + 1, mark.length - 1).toInt
    val isOwn = index > lastInRoom && java.util.Arrays.equals(Talk(Sockets.RoomPeer, index).bytes, bytes)
    lastInRoom = index
    isOwn
  }

  override def ping(bytes: Array[Byte]): Unit =
    if (!isEnding && closedBy == 0 && !manner.halfCloses) add(frames.pong(bytes))(())

  override def pong(bytes: Array[Byte]): Unit = {
    // one that is under way when it is answered has been sent as far as the server is concerned
    if (pongs < pings.length && !java.util.Arrays.equals(pings(pongs), bytes)) found("a pong to no ping")
    pongs += 1
  }

  private var answerToClose: Visitor.Part = null

  def close(code: Int, reason: String): Unit = {
    closedBy = code
    val isOwn = code match {
      case 1000               => kind == "source"
      case 1005               => isEnding && closesWith == 1005
      case 1002 | 1007 | 1009 => isEnding && code == badCode
      case c if c >= 4500     => kind == "closes" && c == Sockets.closesWith(number)
      case c if c >= 4000     => isEnding && ending == Closes && c == closesWith
      case c                  => sockets.told.isUsual(c)
    }
    if (!isOwn) found(s"it is closed with $code '$reason'")
    else if (ending == Closes && hasClosed && code == closesWith) {
      if (pongs != pings.length) found(s"$pongs pongs to ${pings.length} pings")
      if (kind == "echo" && heard != said) found(s"$heard of $said messages came back")
    }
    if (code == 1000 && kind == "source" && bytesOf != Sockets.sourceSize(number))
      found(s"$bytesOf bytes of a stream of ${Sockets.sourceSize(number)}")
    if (!isEnding && !manner.halfCloses) {
      isEnding = true
      add(frames.close(code, ""))(())
      answerToClose = parts.last
    }
  }

  private def ended(isReset: Boolean): Unit =
    if (reader != null && !isReset && closedBy != 0 && reader.isInFrame) found("it ends within a frame")

  def check(): Unit = {
    if (visitor != null && visitor.isDisappointed && status == 0) found("no answer to the handshake")
    else if (visitor != null && visitor.isDisappointed) found(s"the end did not come, after $heard messages")
    if (reader != null) reader.end()
  }
}

private[visit] object SocketVisit {
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
