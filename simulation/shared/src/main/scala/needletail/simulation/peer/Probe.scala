package needletail.simulation.peer

import scala.concurrent.duration._

import needletail.simulation.reader.{ReceivedResponse, SentRequest, StrictHttpReader}
import needletail.simulation.service.Service
import needletail.simulation.world.{Endpoint, PeerConnection, World}

/** Checks a server when no faults are injected and it has no other clients. */
abstract class Probe(world: World) {

  /** The response to a request for that path; None if there is none. */
  def ask(path: String): Option[ReceivedResponse]

  /** Sends that on a connection of its own, and passes on what comes back until the connection ends. */
  protected final def exchange(port: Int, bytes: Array[Byte])(read: (Array[Byte], Int) => Unit): Unit = {
    val caller = new SimpleClient(world.network.connect(port))(read, _ => ())
    caller.send(bytes)
    world.run(30.seconds.toNanos)(caller.isOver)
    caller.close()
  }

  /** Whether the server is alive, and reports that nothing is in progress. */
  final def lives(): Unit = {
    ask("/probe") match {
      case Some(answer) if answer.status == 200 => ()
      case other => world.found(s"the server is not alive: it answers ${other.map(_.status)}")
    }
    ask("/metrics").foreach { answer =>
      val text = new String(answer.content, "US-ASCII")
      text.linesIterator.filter(line =>
        Probe.gauges.exists(line.startsWith) && !line.endsWith(" 0") && !line.contains("\"/metrics\"")
      ).foreach { line =>
        world.found(s"something is still under way: $line")
      }
    }
  }
}

object Probe {
  private val gauges = Seq("needletail_requests_in_flight{", "needletail_requests_in_flight ")
}

/** By HTTP; with `secure`, which secures its connections, by HTTPS. */
final class HttpProbe(world: World, port: Int, secure: Endpoint => PeerConnection = identity)
    extends Probe(world) {
  def ask(path: String): Option[ReceivedResponse] = {
    val call = new HttpExchange(world, port, path, secure = secure)
    world.run(30.seconds.toNanos)(call.isOver || call.answer.nonEmpty)
    call.close()
    call.answer
  }
}

/** One HTTP request, on a connection of its own that stays open. */
final class HttpExchange(
    world: World,
    port: Int,
    path: String,
    content: Array[Byte] = null,
    secure: Endpoint => PeerConnection = identity,
    version: String = "HTTP/1.1",
    fields: String = ""
) {
  private val asked  = new SentRequest("none", "GET", null, mayContinue = false)
  private val reader = new StrictHttpReader(_ => asked, what => world.found(s"the probe: $what")) {
    override protected def isMarked: Boolean = false
  }
  private val end: PeerConnection = world.network.connect(port) match {
    case null => null
    case own  => secure(own)
  }
  private val caller = new SimpleClient(end)((bytes, n) => reader.feed(bytes, n), reader.ended)
  asked.isSent = true
  private val head =
    if (content == null) s"GET $path $version\r\nHost: a\r\nX-Size: 5\r\n$fields\r\n"
    else s"POST $path $version\r\nHost: a\r\nContent-Length: ${content.length}\r\n$fields\r\n"
  caller.send(Service.ascii(head) ++ (if (content == null) Array.emptyByteArray else content))

  def isOver: Boolean                  = caller.isOver
  def answer: Option[ReceivedResponse] = reader.answers.headOption
  def close(): Unit                    = caller.close()
}
