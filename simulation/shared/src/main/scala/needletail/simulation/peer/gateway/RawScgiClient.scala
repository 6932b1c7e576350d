package needletail.simulation.peer.gateway

import needletail.simulation.peer.{Peer, Probe, RawClient}
import needletail.simulation.reader.{CgiReader, Mark, ReceivedResponse, SentRequest}
import needletail.simulation.service.Service
import needletail.simulation.world.World

/** A web server that speaks SCGI: one request, and its result. */
final class RawScgiClient(world: World, number: Int, port: Int) extends Peer {
  private val random  = world.random.split()
  private val end     = world.network.connect(port)
  private val output  = new java.io.ByteArrayOutputStream
  private val request = new GatewayRequest(random, Mark(number, 1))
  private val whole   = request.content
  private val content = if (random.percent(92)) whole else whole.take(request.size / 2)
  private val extra   = // where less came than was announced it would be content
    if (random.percent(4) && content.length == whole.length) Service.ascii("more than was announced")
    else Array.emptyByteArray
  private val head =
    if (random.percent(97)) RawScgiClient.head(request.variables(whole.length))
    else Service.ascii(random.pick(Seq("GET / HTTP/1.1\r\n\r\n", "5:abc", "3:a,b", "00:,", "9999999999:")))

  private val parts = Seq(
    new RawClient.Part(head, 0, false, () => ()),
    new RawClient.Part(content ++ extra, 0, false, () => request.asked.isSent = true)
  )

  private val client: RawClient =
    if (end == null) null
    else
      new RawClient(
        world,
        s"web server $number",
        end,
        parts,
        RawClient.Behaviour(random, head.length + content.length)
      )(
        (bytes, n) => output.write(bytes, 0, n),
        _ => true,
        () => false,
        isReset => checkOutput(isAll = !isReset)
      )

  private def checkOutput(isAll: Boolean): Unit = {
    val problem = CgiReader.wrong(output.toByteArray, request.asked, isAll && output.size > 0)
    if (problem != null) world.found(s"web server $number is answered with $problem")
  }

  def isOver: Boolean = client == null || client.isOver

  def check(): Unit = if (client != null) {
    checkOutput(isAll = false)
    if (client.isDisappointed)
      world.found(
        s"web server $number: ${request.asked.mark} was not answered to its end, nor did the connection end"
      )
  }
}

object RawScgiClient {

  /** A netstring of names and values (SCGI, section 4). */
  def head(variables: Seq[(String, String)]): Array[Byte] = {
    val all = (variables.head +: ("SCGI" -> "1") +: variables.tail).map { case (n, v) =>
      s"$n\u0000$v\u0000"
    }.mkString
    Service.ascii(s"${all.length}:$all,")
  }
}

/** Sends an SCGI request for a path. */
final class ScgiProbe(world: World, port: Int) extends Probe(world) {
  def ask(path: String): Option[ReceivedResponse] = {
    val asked  = new SentRequest("none", "GET", null, mayContinue = false)
    val output = new java.io.ByteArrayOutputStream
    exchange(port, RawScgiClient.head(CgiReader.variables(asked, path.drop(1), 5, 0)))(output.write(_, 0, _))
    CgiReader.read(output.toByteArray, isHead = false) match {
      case CgiReader.Whole(answer) => Some(answer)
      case other                   => world.found(s"the probe reads $other"); None
    }
  }
}
