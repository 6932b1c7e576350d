package needletail.simulation.visit

import scala.concurrent.duration._

import needletail.simulation.reader.{Answer, Asked, CgiReader, Mark}
import needletail.simulation.service.Service
import needletail.simulation.world.World

/** A web server that speaks SCGI: one request, and its result. */
final class ScgiVisit(world: World, number: Int, port: Int) {
  private val dice    = world.dice.split()
  private val end     = world.network.connect(port)
  private val output  = new java.io.ByteArrayOutputStream
  private val hasBody = dice.chance(50)
  private val kind    = dice.pick(if (hasBody) Service.bodyKinds else Service.kinds)
  private val mark    = Mark(number, 1)
  private val size    = if (dice.chance(80)) dice.size(3000) else dice.size(100000)
  private val method  = if (hasBody) "POST" else if (dice.chance(10)) "HEAD" else "GET"
  private val asked   = new Asked(
    mark,
    method,
    if (kind == "page") null else Mark.content(mark, size),
    mayContinue = false,
    Service.mayEndEarly(kind)
  )
  private val whole   = if (hasBody) Mark.content(mark, size) else Array.emptyByteArray
  private val content = if (dice.chance(92)) whole else whole.take(size / 2)
  private val extra   = if (dice.chance(4)) Service.ascii("more than was announced") else Array.emptyByteArray
  private val head    =
    if (dice.chance(97)) ScgiVisit.head(CgiReader.variables(asked, kind, size, whole.length))
    else Service.ascii(dice.pick(Seq("GET / HTTP/1.1\r\n\r\n", "5:abc", "3:a,b", "00:,", "9999999999:")))

  private val parts = Seq(
    new Visitor.Part(head, 0, false, () => ()),
    new Visitor.Part(content ++ extra, 0, false, () => asked.isSent = true)
  )

  private val visitor: Visitor =
    if (end == null) null
    else
      new Visitor(
        world,
        s"web server $number",
        end,
        parts,
        Visitor.Manner(dice, head.length + content.length)
      )(
        (bytes, n) => output.write(bytes, 0, n),
        _ => true,
        () => false,
        isReset => checkOutput(isAll = !isReset)
      )

  private def checkOutput(isAll: Boolean): Unit = {
    val problem = CgiReader.wrong(output.toByteArray, asked, isAll && output.size > 0)
    if (problem != null) world.found(s"web server $number is answered with $problem")
  }

  def isOver: Boolean = visitor == null || visitor.isOver

  def check(): Unit = if (visitor != null) {
    checkOutput(isAll = false)
    if (visitor.isDisappointed)
      world.found(s"web server $number: $mark was not answered to its end, nor did the connection end")
  }
}

object ScgiVisit {

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
  def ask(path: String): Option[Answer] = {
    val asked  = new Asked("none", "GET", null, mayContinue = false)
    val output = new java.io.ByteArrayOutputStream
    val caller = new Caller(world.network.connect(port))((bytes, n) => output.write(bytes, 0, n), _ => ())
    caller.send(ScgiVisit.head(CgiReader.variables(asked, path.drop(1), 5, 0)))
    world.run(30.seconds.toNanos)(caller.isOver)
    caller.close()
    CgiReader.read(output.toByteArray, isHead = false) match {
      case CgiReader.Whole(answer) => Some(answer)
      case other                   => world.found(s"the probe reads $other"); None
    }
  }
}
