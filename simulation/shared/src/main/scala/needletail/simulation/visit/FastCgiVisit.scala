package needletail.simulation.visit

import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer
import scala.concurrent.duration._

import needletail.simulation.reader.{Answer, Asked, CgiReader, FastCgiAsked, FastCgiReader, Mark}
import needletail.simulation.service.Service
import needletail.simulation.world.World

/** A web server that speaks FastCGI: concurrent requests on one connection, and their results. */
final class FastCgiVisit(world: World, number: Int, port: Int, mayRefuse: Boolean) {
  private val dice     = world.dice.split()
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
    val byId = mutable.LinkedHashMap.empty[Int, List[Visitor.Part]]
    (1 to dice.size(8)).foreach { i =>
      val before = requests.size
      val parts  = request(i)
      if (requests.size > before) {
        val id = requests.last.id
        byId(id) = byId.getOrElse(id, Nil) ++ parts
      }
    }
    interleave(byId.values.toSeq)
  }

  private val visitor: Visitor =
    if (end == null) null
    else
      new Visitor(
        world,
        s"web server $number",
        end,
        script,
        Visitor.Manner(dice, script.map(_.bytes.length).sum)
      )(
        (bytes, n) => reader.feed(bytes, n),
        part => part.awaits == 0 || requests(part.awaits - 1).isEnded,
        () => requests.forall(_.isEnded) && script.last.isSent,
        _ => ()
      )

  def isOver: Boolean = visitor == null || visitor.isOver

  def check(): Unit = if (visitor != null) {
    requests.foreach(reader.checkPart)
    if (visitor.isDisappointed)
      requests.find(!_.isEnded).foreach { r =>
        world.found(s"web server $number: ${r.asked.mark} has come to no end, nor has the connection")
      }
  }

  private def part(bytes: Array[Byte], awaits: Int = 0)(onSent: => Unit): Visitor.Part =
    new Visitor.Part(bytes, awaits, false, () => onSent)

  private def plain(bytes: Array[Byte]): Visitor.Part = part(bytes)(())

  private def request(i: Int): List[Visitor.Part] = {
    val mark    = Mark(number, i)
    val hasBody = dice.chance(50)
    val kind    = dice.pick(if (hasBody) Service.bodyKinds else Service.kinds)
    val size    = if (dice.chance(80)) dice.size(3000) else dice.size(100000)
    val body    = if (hasBody) Mark.content(mark, size) else Array.emptyByteArray
    val method  = if (hasBody) "POST" else if (dice.chance(10)) "HEAD" else "GET"
    val wanted  = if (kind == "page") null else Mark.content(mark, size)
    val role    = if (dice.chance(5)) dice.pick(Seq(2, 3, 9)) else 1
    // an id may be reused when its request has ended
    val before = if (requests.nonEmpty && dice.chance(30)) 1 + dice.below(requests.size) else 0
    val isFree = before > 0 && !requests.drop(before).exists(_.id == requests(before - 1).id)
    val id     = if (isFree) requests(before - 1).id else dice.pick(Seq(i, i + 300))
    val r = new FastCgiAsked(new Asked(mark, method, wanted, false, Service.mayEndEarly(kind)), id, role == 1)
    val isTaken = !isFree && requests.exists(_.id == id)
    if (isTaken) Nil
    else {
      requests += r
      val length    = if (hasBody && dice.chance(80)) size else -1
      val variables = FastCgiWords.pairs(CgiReader.variables(r.asked, kind, size, length))
      val all       = List.newBuilder[Visitor.Part]
      all += part(FastCgiWords.begin(id, role, keeps = dice.chance(95)), if (isFree) before else 0) {
        current(id) = r
      }
      FastCgiWords.stream(dice, 4, id, variables).foreach(all += plain(_))
      if (dice.chance(97)) {
        all += plain(FastCgiWords.end(4, id))
        FastCgiWords.stream(
          dice,
          5,
          id,
          if (length < 0 || dice.chance(95)) body else body.take(size / 2)
        ).foreach(all += plain(_))
        if (dice.chance(3)) all += plain(FastCgiWords.record(8, id, new Array[Byte](10)))
        if (dice.chance(92)) all += part(FastCgiWords.end(5, id)) { r.asked.isSent = true }
      }
      val parts = all.result()
      if (dice.chance(10)) parts.take(1 + dice.below(parts.size)) :+ plain(FastCgiWords.end(2, id))
      else parts
    }
  }

  /** The requests' records, each request's in order, with management records in between. */
  private def interleave(all: Seq[List[Visitor.Part]]): Seq[Visitor.Part] = {
    val out   = new ArrayBuffer[Visitor.Part]
    var left  = all.filter(_.nonEmpty).toVector
    val width = dice.pick(Seq(1, 2, 8))
    while (left.nonEmpty) {
      val i = dice.below(math.min(width, left.size))
      out += left(i).head
      left = if (left(i).tail.isEmpty) left.patch(i, Nil, 1) else left.updated(i, left(i).tail)
      if (dice.chance(3)) out += management()
    }
    if (dice.chance(3)) out += plain(Service.ascii("GET / HTTP/1.1\r\n\r\n"))
    out.toSeq
  }

  private def management(): Visitor.Part =
    if (dice.chance(60))
      part(FastCgiWords.record(
        9,
        0,
        FastCgiWords.pairs(Seq("FCGI_MAX_CONNS" -> "", "X" -> ""))
      ))(reader.values += 1)
    else {
      val kind = dice.between(12, 255)
      part(FastCgiWords.record(kind, 0, new Array[Byte](dice.below(100))))(reader.unknowns ::= kind)
    }
}

/** Sends a FastCGI request for a path. */
final class FastCgiProbe(world: World, port: Int) extends Probe(world) {
  def ask(path: String): Option[Answer] = {
    val r      = new FastCgiAsked(new Asked("none", "GET", null, mayContinue = false), 1, isResponder = true)
    val reader = new FastCgiReader(_ => r, mayRefuse = false, what => world.found(s"the probe: $what"))
    val caller = new Caller(world.network.connect(port))((bytes, n) => reader.feed(bytes, n), _ => ())
    caller.send(
      FastCgiWords.begin(1, 1, keeps = false) ++
        FastCgiWords.record(4, 1, FastCgiWords.pairs(CgiReader.variables(r.asked, path.drop(1), 5, -1))) ++
        FastCgiWords.end(4, 1) ++ FastCgiWords.end(5, 1)
    )
    world.run(30.seconds.toNanos)(caller.isOver)
    caller.close()
    Option(r.answer)
  }
}
