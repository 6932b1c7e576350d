package needletail.simulation.peer

import scala.collection.mutable.ArrayBuffer

import needletail.simulation.reader.{Mark, ReceivedResponse, SentRequest, StrictDecoder, StrictHttpReader}
import needletail.simulation.service.{ContentService, Service}
import needletail.simulation.world.World

/** A client that asks for compressed content, and sends content that is compressed or in parts, well and badly. */
final class RawContentClient(world: World, number: Int, port: Int, codings: Set[String]) extends Peer {
  import RawContentClient._

  private val random   = world.random.split()
  private val requests = new ArrayBuffer[Wanted]
  private val parts    = new ArrayBuffer[RawClient.Part]
  private val encoder  = new ContentEncoder(random)
  private var checked  = 0

  for (i <- 1 to random.skewed(8)) add(i)

  private val reader = new StrictHttpReader(
    i => if (i < requests.size) requests(i).asked else null,
    found
  )

  private val end       = world.network.connect(port)
  private val behaviour = RawClient.Behaviour(random, parts.map(_.bytes.length).sum)

  private val client: RawClient =
    if (end == null) null
    else
      new RawClient(world, s"client $number", end, parts, behaviour)(
        (bytes, n) => {
          reader.feed(bytes, n)
          look()
        },
        part => reader.answers.size >= part.awaits,
        () =>
          reader.answers.size == requests.size && parts.forall(
            _.isSent
          ) || reader.hasClosed && !reader.isInAnswer,
        isReset => { reader.ended(isReset); look() }
      )

  def isOver: Boolean = client == null || client.isOver

  def check(): Unit = if (client != null && client.isDisappointed && reader.answers.size < requests.size)
    found(
      s"${requests(reader.answers.size).asked.mark} was neither answered nor refused, nor the connection ended"
    )

  private def found(what: String): Unit = world.found(s"client $number: $what")

  private def look(): Unit = while (checked < reader.answers.size) {
    if (checked < requests.size) look(requests(checked), reader.answers(checked))
    checked += 1
  }

  private def look(wanted: Wanted, answer: ReceivedResponse): Unit = {
    val mark = wanted.asked.mark
    if (answer.status == 200) {
      if (!answer.field("x-mark").contains(mark))
        found(s"the mark ${answer.field("x-mark")} instead of $mark")
      val plain = answer.field("content-encoding") match {
        case None         => Right(answer.content)
        case Some(coding) =>
          if (!wanted.accepted(coding)) found(s"the coding $coding, which $mark does not accept")
          if (!answer.field("vary").exists(_.equalsIgnoreCase("accept-encoding"))) found(s"no Vary for $mark")
          StrictDecoder(coding, answer.content)
      }
      plain match {
        case Left(why)    => found(s"the content of $mark has $why")
        case Right(bytes) =>
          if (wanted.refusal != 0 && !isEarly(bytes)) found(s"status 200 to $mark, which was malformed")
          if (wanted.content != null && !java.util.Arrays.equals(bytes, wanted.content) && !isEarly(bytes))
            found(s"${bytes.length} bytes that are not the ${wanted.content.length} of $mark")
      }
    } else if (
      answer.status < 500 && answer.status != wanted.refusal && answer.status != 413 && answer.status != 408
    )
      found(s"status ${answer.status} to $mark, where ${wanted.refusal} was to be expected")
  }

  private def isEarly(bytes: Array[Byte]): Boolean = new String(bytes, "US-ASCII") == "that will do"

  // what it asks for

  private def add(i: Int): Unit = {
    val mark    = Mark(number, i)
    val size    = if (random.percent(80)) random.skewed(5000) else random.skewed(150000)
    val accepts = random.pick(accept)
    val coding  = random.pick(Seq("gzip", "deflate"))
    val via     = if (random.percent(25)) "/via" else ""
    val content = Mark.content(mark, size)
    random.below(10) match {
      case n if n < 5 =>
        val kind = random.pick(ContentService.kinds)
        val all  = if (kind == "breaks" && size > 0) null else content
        send(mark, s"GET $via/text/$kind", accepts, s"X-Size: $size\r\n", null, all, 0)
      case n if n < 8 =>
        val isBad  = random.percent(20)
        val path   = if (random.percent(50)) "decoded" else "passed"
        val packed =
          if (isBad) encoder.badly(coding, content)
          else if (random.percent(10)) encoder.tightly(coding, new Array[Byte](3000000)) // 413
          else encoder(coding, content)
        // one that is passed on may be refused only after its answer has begun
        val refusal = if (isBad) 400 else 0
        if (random.percent(10))
          send(mark, s"POST $via/$path", accepts, "Content-Encoding: x-other\r\n", content, null, 415)
        else
          send(mark, s"POST $via/$path", accepts, s"Content-Encoding: $coding\r\n", packed, content, refusal)
      case _ => form(mark, via, content)
    }
  }

  private def form(mark: String, via: String, content: Array[Byte]): Unit = {
    val boundary = random.pick(Seq("b", "----=_x.1", "a'()+_,-./:=?z"))
    val out      = new java.io.ByteArrayOutputStream
    val expected = new java.io.ByteArrayOutputStream
    val isBad    = random.percent(15)
    if (random.percent(20)) out.write(Service.ascii("something before\r\n"))
    var at = 0
    for (i <- 0 to random.below(6)) {
      val n     = if (at == content.length) 0 else random.below(content.length - at + 1)
      val trap  = if (n == 0) Array.emptyByteArray else Service.ascii("." + random.pick(traps(boundary)))
      val piece = content.slice(at, at + n) ++ trap
      val name  = random.pick(Seq("a", "a", "a", "skip", "peek"))
      at += n
      val file = if (random.percent(30)) "; filename=\"a;b.txt\"\r\nContent-Type: text/plain" else ""
      out.write(
        Service.ascii(s"--$boundary\r\nContent-Disposition: form-data; name=\"$name$i\"$file\r\n\r\n")
      )
      out.write(piece)
      out.write(Service.ascii("\r\n"))
      if (name == "a") expected.write(piece)
    }
    if (isBad) random.below(3) match {
      case 0 => ()
      case 1 =>
        out.write(Service.ascii(s"--$boundary\r\nContent-Disposition: form-data\r\n\r\nx\r\n--$boundary--"))
      case _ => out.write(Service.ascii(s"--$boundary\r\nno field\r\n\r\n\r\n--$boundary--"))
    }
    else out.write(Service.ascii(s"--$boundary--" + random.pick(Seq("", "\r\n", "\r\nsomething behind"))))
    val fields = s"Content-Type: multipart/form-data; boundary=\"$boundary\"\r\n"
    send(
      mark,
      s"POST $via/form",
      "gzip",
      fields,
      out.toByteArray,
      expected.toByteArray,
      if (isBad) 400 else 0
    )
  }

  /** @param content what a successful response has; null for anything */
  private def send(
      mark: String,
      what: String,
      accepts: String,
      fields: String,
      body: Array[Byte],
      content: Array[Byte],
      refusal: Int
  ): Unit = {
    val asked   = new SentRequest(mark, what.takeWhile(_ != ' '), null, mayContinue = false)
    val chunked = body != null && random.percent(40)
    val framing =
      if (body == null) ""
      else if (chunked) "Transfer-Encoding: chunked\r\n" else s"Content-Length: ${body.length}\r\n"
    val awaits = if (random.percent(40)) requests.size else 0
    val head   = s"$what HTTP/1.1\r\nHost: a\r\nX-Mark: $mark\r\n" +
      (if (accepts.isEmpty) "" else s"Accept-Encoding: $accepts\r\n") + fields + framing + "\r\n"
    requests += new Wanted(asked, accepts, content, refusal, codings)
    val bytes =
      Service.ascii(head) ++ (if (body == null) Array.emptyByteArray
                              else if (chunked) Chunks(random, body) else body)
    // it may be refused with 400 as it should be: StrictHttpReader does not know
    parts += new RawClient.Part(bytes, awaits, false, () => if (refusal != 400) asked.isSent = true)
    ()
  }
}

private object RawContentClient {

  /** What a part may end with, though it looks like the end of the part. */
  def traps(boundary: String): Seq[String] =
    Seq("", "\r\n--", "\r\n-", "\r", s"\r\n--${boundary.dropRight(1)}", s"--$boundary", s"\r\n--${boundary}x")

  val accept: Seq[String] =
    Seq("", "gzip", "deflate", "gzip, deflate", "gzip;q=0, *", "br, gzip;q=0.5", "identity", "*")

  /**
   * A request and what is to come of it.
   *
   * @param refusal the status by which it has to be refused; 0 for none
   */
  final class Wanted(
      val asked: SentRequest,
      accepts: String,
      val content: Array[Byte],
      val refusal: Int,
      codings: Set[String]
  ) {
    def accepted(coding: String): Boolean = codings(coding) && (accepts match {
      case "gzip;q=0, *" => coding != "gzip"
      case "*"           => true
      case list          => list.contains(coding)
    })
  }
}
