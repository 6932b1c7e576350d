package needletail.simulation.peer.websocket

import scala.collection.mutable.ArrayBuffer

import needletail.simulation.peer.RawClient
import needletail.simulation.reader.{PeerMessages, StrictFrameReader}
import needletail.simulation.service.WebSocketService
import needletail.simulation.world.{Endpoint, World}
import needletail.websocket.handshake.Handshake

/** A server of WebSockets that writes and reads its frames itself: some of them badly, after handshakes of every kind. */
final class RawWebSocketServer(world: World, maxMessage: Int, mayThrow: Boolean) {
  import RawWebSocketServer._

  private val peers = new ArrayBuffer[Peer]

  /** Where it listens. */
  val port: Int = world.network.listen(0, end => { peers += new Peer(end); () })

  /** Nobody can connect any more. */
  def close(): Unit = {
    world.network.unlisten(port)
    peers.foreach(_.check())
  }

  private final class Peer(end: Endpoint) extends StrictFrameReader.Handler {
    private val random                    = world.random.split()
    private val frames                    = new Frames(random, isClient = false)
    private val parts                     = new ArrayBuffer[RawClient.Part]
    private var head                      = new Array[Byte](0)
    private var number                    = 0
    private var pings                     = Vector.empty[Array[Byte]]
    private var pongs                     = 0
    private var heard                     = 0 // messages
    private var badCode                   = 0
    private var hasSentClose              = false
    private val answersTo                 = random.pick(answers)
    private val reader: StrictFrameReader =
      new StrictFrameReader(isClient = true, compresses = false, remembers = false, this)(found)

    private val behaviour = RawClient.Behaviour(random, 3000)

    private val client = new RawClient(world, s"raw server", end, parts, behaviour)(
      read,
      _ => true,
      () => false,
      _ => ()
    )

    private def found(what: String): Unit = world.found(s"the raw server's peer $number: $what")

    private def add(bytes: Array[Byte])(whenSent: => Unit): Unit = {
      parts += new RawClient.Part(bytes, 0, false, () => whenSent)
      ()
    }

    private def read(bytes: Array[Byte], count: Int): Unit =
      if (number > 0) reader.feed(bytes, 0, count)
      else {
        head = head ++ bytes.take(count)
        StrictFrameReader.head(head, head.length).foreach { case (lines, length) =>
          if (head.length > length) found("frames before the answer to the handshake")
          asked(lines)
        }
      }

    private def asked(lines: List[String]): Unit = {
      def field(name: String) =
        lines.tail.filter(_.toLowerCase.startsWith(name + ":")).map(_.drop(name.length + 1).trim)
      number = field("x-peer").head.toInt
      if (!lines.head.startsWith("GET /ws/")) found(s"it asks by ${lines.head}")
      if (field("upgrade") != List("websocket") || field("sec-websocket-version") != List("13"))
        found(s"a handshake of $lines")
      val keys = field("sec-websocket-key")
      if (keys.length != 1 || java.util.Base64.getDecoder.decode(keys.head).length != 16)
        found(s"the keys $keys")
      val accept = Handshake.acceptOf(keys.head) // RawWebSocketClient knows that it is right
      answersTo match {
        case Opens => open(switching(accept))
        case Wrong => open(random.pick(Seq(
            switching((if (accept.head == 'x') "y" else "x") + accept.drop(1)),
            switching(accept).replace("101", "200"),
            switching(accept).replace("websocket", "web"),
            switching(accept).replace("Upgrade\r\n", "close\r\n"),
            switching(accept, "Sec-WebSocket-Protocol: other\r\n"),
            switching(accept, "Sec-WebSocket-Extensions: x-other\r\n"),
            "HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1\r\n\r\n"
          )))
        case Silent => ()
      }
    }

    private def switching(accept: String, more: String = "") =
      s"HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${more}Sec-WebSocket-Accept: $accept\r\n\r\n"

    /** Everything that is sent: behind the answer, and perhaps together with it. */
    private def open(answer: String): Unit = {
      val all = new ArrayBuffer[Array[Byte]]
      all += Frames.ascii(answer)
      for (i <- 0 until random.skewed(15)) {
        val message = PeerMessages(PeerMessages.serverTo(number), i)
        all ++= frames.message(message.isText, message.bytes, packs = false)
        if (random.percent(20)) {
          val payload = Frames.ascii(s"$number-$i")
          pings :+= payload
          all += frames.ping(payload)
        }
      }
      if (random.percent(50)) {
        hasSentClose = true
        all += frames.close(WebSocketService.closesWith(number), "enough")
      } else if (random.percent(60)) {
        val (bytes, code) = frames.malformed(packs = false, maxMessage)
        badCode = code
        all += bytes
      }
      if (random.percent(50)) add(Array.concat(all.toSeq*))(()) else all.foreach(add(_)(()))
    }

    def message(isText: Boolean, bytes: Array[Byte]): Unit = {
      if (!PeerMessages(number, heard).is(isText, bytes))
        found(s"message $heard is of ${PeerMessages.markOf(bytes)}")
      heard += 1
    }

    override def pong(bytes: Array[Byte]): Unit = {
      if (pongs >= pings.length || !java.util.Arrays.equals(pings(pongs), bytes))
        found("a pong to another ping")
      pongs += 1
    }

    def close(code: Int, reason: String): Unit = {
      val isOwn = code match {
        case 1002 | 1007 | 1009 => code == badCode
        case 1011               => mayThrow
        case 1013               => true
        case c if c >= 4500     => hasSentClose && c == WebSocketService.closesWith(number)
        case c                  => c == WebSocketService.closeOf(number)
      }
      if (!isOwn) found(s"it closes with $code '$reason'")
      else if (answersTo != Opens) found(s"it opened what was not accepted, and closes with $code")
      else if (code == WebSocketService.closesWith(number) && pongs != pings.length)
        found(s"$pongs pongs to ${pings.length} pings")
      if (!hasSentClose && badCode == 0 && random.percent(80)) {
        hasSentClose = true
        add(frames.close(code, ""))(())
      }
    }

    def check(): Unit = {
      if (client.isDisappointed) found("it does not end the connection")
      reader.end()
    }
  }
}

private object RawWebSocketServer {
  sealed abstract class Handshaken
  case object Opens  extends Handshaken
  case object Wrong  extends Handshaken
  case object Silent extends Handshaken

  val answers: Seq[Handshaken] = Seq(Opens, Opens, Opens, Opens, Opens, Wrong, Silent)
}
