package needletail.simulation.peer.websocket

import scala.collection.mutable.ArrayBuffer

import needletail.simulation.peer.SimpleClient
import needletail.simulation.reader.StrictFrameReader
import needletail.simulation.world.World

/**
 * A WebSocket on which nothing is said while its server drains: it is told 1001.
 *
 * @param answers whether it answers pings and the close frame
 */
final class IdleWebSocket(world: World, port: Int, answers: Boolean) extends StrictFrameReader.Handler {
  private val frames = new Frames(world.random, isClient = true)
  private val reader =
    new StrictFrameReader(isClient = false, compresses = false, remembers = false, this)(found)
  private val codes  = new ArrayBuffer[Int]
  private var head   = new Array[Byte](0)
  private var isOpen = false
  private var ended  = ""

  private val caller =
    new SimpleClient(world.network.connect(port))(
      read,
      isReset => ended = if (isReset) "a reset" else "its end"
    )

  caller.send(Frames.ascii(
    "GET /ws/echo HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
      s"Sec-WebSocket-Key: ${RawWebSocketClient.Key}\r\nX-Peer: 99\r\n\r\n"
  ))

  private def found(what: String): Unit = world.found(s"an idle WebSocket: $what")

  private def read(bytes: Array[Byte], count: Int): Unit =
    if (isOpen) reader.feed(bytes, 0, count)
    else {
      head = head ++ bytes.take(count)
      StrictFrameReader.head(head, head.length).foreach { case (lines, length) =>
        isOpen = lines.head.startsWith("HTTP/1.1 101 ")
        if (isOpen) reader.feed(head, length, head.length - length)
      }
    }

  def message(isText: Boolean, bytes: Array[Byte]): Unit = found("a message")

  override def ping(bytes: Array[Byte]): Unit = if (answers) caller.send(frames.pong(bytes))

  def close(code: Int, reason: String): Unit = {
    codes += code
    if (answers) caller.send(frames.close(code, ""))
  }

  /** After the drain. */
  def check(): Unit = {
    caller.close()
    if (!isOpen) found("it was not opened")
    else if (answers && (codes != Seq(1001) || ended != "its end"))
      found(s"as the server drained it was sent the codes ${codes.mkString(", ")} and saw ${ended}")
  }
}
