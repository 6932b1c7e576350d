package needletail.simulation.peer.gateway

import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer

import needletail.simulation.peer.{Peer, Probe, RawClient}
import needletail.simulation.reader.{
  CgiReader,
  FastCgiAsked,
  FastCgiReader,
  Mark,
  ReceivedResponse,
  SentRequest
}
import needletail.simulation.service.Service
import needletail.simulation.world.World

/** A web server that speaks FastCGI: concurrent requests on one connection, and their results. */
final class RawFastCgiClient(world: World, number: Int, port: Int, mayRefuse: Boolean) extends Peer {
  private val random   = world.random.split()
  private val requests = new ArrayBuffer[FastCgiAsked]
  private val current  = mutable.Map.empty[Int, FastCgiAsked]
  private val end      = world.network.connect(port)

  private val reader = new FastCgiReader(
    id => current.getOrElse(id, null),
    mayRefuse,
    what => world.found(s"web server $number: $what")
  )
  private val script = {
    // successive requests with the same id
    val byId = mutable.LinkedHashMap.empty[Int, List[RawClient.Part]]
    (1 to random.skewed(8)).foreach { i =>
      val before = requests.size
      val parts  = request(i)
      if (requests.size > before) {
        val id = requests.last.id
        byId(id) = byId.getOrElse(id, Nil) ++ parts
      }
    }
    interleave(byId.values.toSeq)
  }

  private val client: RawClient =
    if (end == null) null
    else
      new RawClient(
        world,
        s"web server $number",
        end,
        script,
        RawClient.Behaviour(random, script.map(_.bytes.length).sum)
      )(
        (bytes, n) => reader.feed(bytes, n),
        part => part.awaits == 0 || requests(part.awaits - 1).isEnded,
        () => requests.forall(_.isEnded) && script.last.isSent,
        _ => ()
      )

  def isOver: Boolean = client == null || client.isOver

  def check(): Unit = if (client != null) {
    requests.foreach(reader.checkPart)
    if (client.isDisappointed)
      requests.find(!_.isEnded).foreach { r =>
        world.found(s"web server $number: ${r.asked.mark} has come to no end, nor has the connection")
      }
  }

  private def part(bytes: Array[Byte], awaits: Int = 0)(onSent: => Unit): RawClient.Part =
    new RawClient.Part(bytes, awaits, false, () => onSent)

  private def plain(bytes: Array[Byte]): RawClient.Part = part(bytes)(())

  private def request(i: Int): List[RawClient.Part] = {
    val wanted = new GatewayRequest(random, Mark(number, i))
    val body   = wanted.content
    val role   = if (random.percent(5)) random.pick(Seq(2, 3, 9)) else 1
    // an id may be reused when its request has ended
    val before  = if (requests.nonEmpty && random.percent(30)) 1 + random.below(requests.size) else 0
    val isFree  = before > 0 && !requests.drop(before).exists(_.id == requests(before - 1).id)
    val id      = if (isFree) requests(before - 1).id else random.pick(Seq(i, i + 300))
    val r       = new FastCgiAsked(wanted.asked, id, role == 1)
    val isTaken = !isFree && requests.exists(_.id == id)
    if (isTaken) Nil
    else {
      requests += r
      val length    = if (wanted.hasBody && random.percent(80)) wanted.size else -1
      val variables = FastCgiRecords.pairs(wanted.variables(length))
      val all       = List.newBuilder[RawClient.Part]
      all += part(FastCgiRecords.begin(id, role, keeps = random.percent(95)), if (isFree) before else 0) {
        current(id) = r
      }
      FastCgiRecords.stream(random, 4, id, variables).foreach(all += plain(_))
      if (random.percent(97)) {
        all += plain(FastCgiRecords.end(4, id))
        FastCgiRecords.stream(
          random,
          5,
          id,
          if (length < 0 || random.percent(95)) body else body.take(wanted.size / 2)
        ).foreach(all += plain(_))
        if (random.percent(3)) all += plain(FastCgiRecords.record(8, id, new Array[Byte](10)))
        if (random.percent(92)) all += part(FastCgiRecords.end(5, id)) { r.asked.isSent = true }
      }
      val parts = all.result()
      if (random.percent(10)) parts.take(1 + random.below(parts.size)) :+ plain(FastCgiRecords.end(2, id))
      else parts
    }
  }

  /** The requests' records, each request's in order, with management records in between. */
  private def interleave(all: Seq[List[RawClient.Part]]): Seq[RawClient.Part] = {
    val out   = new ArrayBuffer[RawClient.Part]
    var left  = all.filter(_.nonEmpty).toVector
    val width = random.pick(Seq(1, 2, 8))
    while (left.nonEmpty) {
      val i = random.below(math.min(width, left.size))
      out += left(i).head
      left = if (left(i).tail.isEmpty) left.patch(i, Nil, 1) else left.updated(i, left(i).tail)
      if (random.percent(3)) out += management()
    }
    if (random.percent(3)) out += plain(Service.ascii("GET / HTTP/1.1\r\n\r\n"))
    out.toSeq
  }

  private def management(): RawClient.Part =
    if (random.percent(60))
      part(FastCgiRecords.record(
        9,
        0,
        FastCgiRecords.pairs(Seq("FCGI_MAX_CONNS" -> "", "X" -> ""))
      ))(reader.values += 1)
    else {
      val kind = random.between(12, 255)
      part(FastCgiRecords.record(kind, 0, new Array[Byte](random.below(100))))(reader.unknowns ::= kind)
    }
}

/** Sends a FastCGI request for a path. */
final class FastCgiProbe(world: World, port: Int) extends Probe(world) {
  def ask(path: String): Option[ReceivedResponse] = {
    val r = new FastCgiAsked(new SentRequest("none", "GET", null, mayContinue = false), 1, isResponder = true)
    val reader = new FastCgiReader(_ => r, mayRefuse = false, what => world.found(s"the probe: $what"))
    exchange(
      port,
      FastCgiRecords.begin(1, 1, keeps = false) ++
        FastCgiRecords.record(
          4,
          1,
          FastCgiRecords.pairs(CgiReader.variables(r.asked, path.drop(1), 5, -1))
        ) ++
        FastCgiRecords.end(4, 1) ++ FastCgiRecords.end(5, 1)
    )(reader.feed(_, _))
    Option(r.answer)
  }
}
