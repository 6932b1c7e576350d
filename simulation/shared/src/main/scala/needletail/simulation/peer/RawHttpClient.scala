package needletail.simulation.peer

import scala.collection.mutable.ArrayBuffer

import needletail.simulation.reader.{Mark, SentRequest, StrictHttpReader}
import needletail.simulation.service.Service
import needletail.simulation.world.{Endpoint, PeerConnection, World}

/**
 * A client of an HTTP server: its requests on one connection, and their results.
 *
 * @param isSteady whether it requests what is answered at once, and reads the responses slowly but steadily
 * @param secure makes the connection one that is secured by TLS
 */
final class RawHttpClient(
    world: World,
    number: Int,
    port: Int,
    isSteady: Boolean = false,
    secure: Endpoint => PeerConnection = identity
) extends Peer {
  private val random     = world.random.split()
  private val requests   = new ArrayBuffer[SentRequest]
  private val parts      = new ArrayBuffer[RawClient.Part]
  private var lastCloses = false

  private val end: PeerConnection = world.network.connect(port) match {
    case null => null
    case own  => secure(own)
  }

  for (i <- 1 to random.skewed(if (isSteady) 3 else 12)) if (!lastCloses) add(i)

  private val reader = new StrictHttpReader(
    i =>
      if (i < requests.size && requests(i).isSent || i < requests.size && requests(i).mayContinue) requests(i)
      else partlySent(i),
    what => world.found(s"client $number: $what")
  )

  /** A request whose beginning may have been sent: it may be refused. */
  private def partlySent(i: Int): SentRequest = if (i < requests.size) requests(i) else null

  private val behaviour =
    if (isSteady) RawClient.Behaviour.steady(random)
    else RawClient.Behaviour(random, parts.map(_.bytes.length).sum)

  private val client: RawClient =
    if (end == null) null
    else
      new RawClient(
        world,
        s"client $number",
        end,
        parts.toSeq,
        behaviour
      )(
        (bytes, n) => reader.feed(bytes, n),
        part =>
          reader.answers.size >= part.awaits && (!part.awaitsContinue || reader.continued || isLateFor(
            part
          )) && {
            // the response has arrived without 100 (Continue): the body is sent anyway, or not
            part.isLeftOut = part.awaitsContinue && reader.answers.size > part.awaits && random.percent(50)
            true
          },
        () =>
          reader.answers.size == requests.size && parts.forall(p =>
            p.isSent || p.isLeftOut
          ) || reader.hasClosed && !reader.isInAnswer,
        isReset => reader.ended(isReset)
      )

  def isOver: Boolean = client == null || client.isOver

  /** Whether it has received everything it requested. */
  def isServed: Boolean = reader.answers.size == requests.size

  /** Whether it reads what there is at once. */
  def isPatient: Boolean = behaviour.isPatient

  /** How many responses it has got. */
  def answered: Int = reader.answers.size

  /** Whether the server has said that the latest response is the last one. */
  def hasClosed: Boolean = reader.hasClosed

  def check(): Unit = if (client != null && client.isDisappointed && reader.answers.size < requests.size)
    world.found(
      s"client $number: ${requests(reader.answers.size).mark} was neither answered nor refused, nor the connection ended"
    )

  // RFC 9110 §10.1.1: a client does not wait for 100 (Continue) forever
  private var waitsSince = Long.MaxValue

  private def isLateFor(part: RawClient.Part): Boolean = {
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
    val hasBody = random.percent(40) && !isSteady
    val kind    = random.pick(
      if (isSteady) Service.steadyKinds else if (hasBody) Service.bodyKinds else Service.kinds
    )
    val method = if (hasBody) "POST" else if (random.percent(10)) "HEAD" else "GET"
    val wished =
      if (isSteady) random.between(1, 120000)
      else if (random.percent(80)) random.skewed(3000) else random.skewed(200000)
    val body    = Service.content(kind, mark, wished)
    val size    = body.length
    val expects = hasBody && random.percent(25)
    val chunked = hasBody && random.percent(40)
    val isOld   = random.percent(4) && !chunked && !expects && !isSteady
    lastCloses = isOld || random.percent(4)
    val wanted = if (kind == "page") null else body
    val asked  = new SentRequest(mark, method, wanted, expects, Service.mayEndEarly(kind))
    val head   = new StringBuilder
    head.append(
      s"$method /$kind HTTP/1.${if (isOld) 0 else 1}\r\nHost: a\r\nX-Mark: $mark\r\nX-Size: $size\r\n"
    )
    val authorization = Service.authorization(kind)
    if (authorization != null) head.append(s"Authorization: $authorization\r\n")
    if (expects) head.append("Expect: 100-continue\r\n")
    if (lastCloses && !isOld) head.append("Connection: close\r\n")
    if (chunked) head.append("Transfer-Encoding: chunked\r\n")
    else if (hasBody) head.append(s"Content-Length: $size\r\n")
    head.append("\r\n")
    val awaits = if (random.percent(40) && !isSteady) requests.size else 0
    requests += asked
    val content = if (!hasBody) Array.empty[Byte] else if (chunked) Chunks(random, body) else body
    if (expects) {
      parts += new RawClient.Part(
        Service.ascii(head.toString),
        if (random.percent(70)) requests.size - 1 else awaits,
        false,
        () => ()
      )
      parts += new RawClient.Part(
        content,
        requests.size - 1,
        awaitsContinue = true,
        () => asked.isSent = true
      )
    } else
      parts += new RawClient.Part(
        Service.ascii(head.toString) ++ content,
        awaits,
        false,
        () => asked.isSent = true
      )
    ()
  }
}
