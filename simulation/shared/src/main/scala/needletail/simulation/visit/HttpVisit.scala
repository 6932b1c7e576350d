package needletail.simulation.visit

import scala.collection.mutable.ArrayBuffer

import needletail.simulation.reader.{Asked, Mark, StrictReader}
import needletail.simulation.service.Service
import needletail.simulation.world.{End, Line, World}

/**
 * A client of an HTTP server: its requests on one connection, and their results.
 *
 * @param isSteady whether it requests what is answered at once, and reads the responses slowly but steadily
 * @param secure makes the connection one that is secured by TLS
 */
final class HttpVisit(
    world: World,
    number: Int,
    port: Int,
    isSteady: Boolean = false,
    secure: End => Line = identity
) {
  private val dice       = world.dice.split()
  private val requests   = new ArrayBuffer[Asked]
  private val parts      = new ArrayBuffer[Visitor.Part]
  private var lastCloses = false

  private val end: Line = world.network.connect(port) match {
    case null => null
    case own  => secure(own)
  }

  for (i <- 1 to dice.size(if (isSteady) 3 else 12)) if (!lastCloses) add(i)

  private val reader = new StrictReader(
    i =>
      if (i < requests.size && requests(i).isSent || i < requests.size && requests(i).mayContinue) requests(i)
      else partlySent(i),
    what => world.found(s"visitor $number: $what")
  )

  /** A request whose beginning may have been sent: it may be refused. */
  private def partlySent(i: Int): Asked = if (i < requests.size) requests(i) else null

  private val manner =
    if (isSteady) Visitor.Manner.steady(dice) else Visitor.Manner(dice, parts.map(_.bytes.length).sum)

  private val visitor: Visitor =
    if (end == null) null
    else
      new Visitor(
        world,
        s"visitor $number",
        end,
        parts.toSeq,
        manner
      )(
        (bytes, n) => reader.feed(bytes, n),
        part =>
          reader.answers.size >= part.awaits && (!part.awaitsContinue || reader.continued || isLateFor(
            part
          )) && {
            // the response has arrived without 100 (Continue): the body is sent anyway, or not
            part.isLeftOut = part.awaitsContinue && reader.answers.size > part.awaits && dice.chance(50)
            true
          },
        () =>
          reader.answers.size == requests.size && parts.forall(p =>
            p.isSent || p.isLeftOut
          ) || reader.hasClosed && !reader.isInAnswer,
        isReset => reader.ended(isReset)
      )

  def isOver: Boolean = visitor == null || visitor.isOver

  /** Whether it has received everything it requested. */
  def isServed: Boolean = reader.answers.size == requests.size

  /** Whether it reads what there is at once. */
  def isPatient: Boolean = manner.isPatient

  /** How many responses it has got. */
  def answered: Int = reader.answers.size

  /** Whether the server has said that the latest response is the last one. */
  def hasClosed: Boolean = reader.hasClosed

  def check(): Unit = if (visitor != null && visitor.isDisappointed && reader.answers.size < requests.size)
    world.found(
      s"visitor $number: ${requests(reader.answers.size).mark} was neither answered nor refused, nor the connection ended"
    )

  // RFC 9110 §10.1.1: a client does not wait for 100 (Continue) forever
  private var waitsSince = Long.MaxValue

  private def isLateFor(part: Visitor.Part): Boolean = {
    if (waitsSince == Long.MaxValue) {
      waitsSince = world.now
      world.after(1000000000L)(end.onChange())
    }
    val isLate = world.now - waitsSince >= 1000000000L || reader.answers.size > part.awaits
    if (isLate) waitsSince = Long.MaxValue
    isLate
  }

  private def add(i: Int): Unit = {
    val mark    = Mark(number, i)
    val hasBody = dice.chance(40) && !isSteady
    val kind    = dice.pick(
      if (isSteady) Service.steadyKinds else if (hasBody) Service.bodyKinds else Service.kinds
    )
    val method = if (hasBody) "POST" else if (dice.chance(10)) "HEAD" else "GET"
    val size   =
      if (isSteady) dice.between(1, 120000) else if (dice.chance(80)) dice.size(3000) else dice.size(200000)
    val body    = Mark.content(mark, size)
    val expects = hasBody && dice.chance(25)
    val chunked = hasBody && dice.chance(40)
    val isOld   = dice.chance(4) && !chunked && !expects && !isSteady
    lastCloses = isOld || dice.chance(4)
    val wanted =
      if (hasBody && Service.isEcho(kind)) body else if (kind == "page") null else Mark.content(mark, size)
    val asked = new Asked(mark, method, wanted, expects, Service.mayEndEarly(kind))
    val head  = new StringBuilder
    head.append(
      s"$method /$kind HTTP/1.${if (isOld) 0 else 1}\r\nHost: a\r\nX-Mark: $mark\r\nX-Size: $size\r\n"
    )
    if (expects) head.append("Expect: 100-continue\r\n")
    if (lastCloses && !isOld) head.append("Connection: close\r\n")
    if (chunked) head.append("Transfer-Encoding: chunked\r\n")
    else if (hasBody) head.append(s"Content-Length: $size\r\n")
    head.append("\r\n")
    val awaits = if (dice.chance(40) && !isSteady) requests.size else 0
    requests += asked
    val content = if (!hasBody) Array.empty[Byte] else if (chunked) chunks(body) else body
    if (expects) {
      parts += new Visitor.Part(
        Service.ascii(head.toString),
        if (dice.chance(70)) requests.size - 1 else awaits,
        false,
        () => ()
      )
      parts += new Visitor.Part(content, requests.size - 1, awaitsContinue = true, () => asked.isSent = true)
    } else
      parts += new Visitor.Part(
        Service.ascii(head.toString) ++ content,
        awaits,
        false,
        () => asked.isSent = true
      )
    ()
  }

  private def chunks(body: Array[Byte]): Array[Byte] = {
    val out = new java.io.ByteArrayOutputStream
    var at  = 0
    while (at < body.length) {
      val n = math.min(dice.size(5000), body.length - at)
      out.write(Service.ascii(f"$n%x\r\n"))
      out.write(body, at, n)
      out.write(Service.ascii("\r\n"))
      at += n
    }
    out.write(Service.ascii("0\r\n\r\n"))
    out.toByteArray
  }
}
