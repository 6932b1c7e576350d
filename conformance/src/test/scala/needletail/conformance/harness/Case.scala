package needletail.conformance.harness

import needletail.conformance.client.{Ask, Reply, ReplyReader, Wire}

/** How binding a rule is (RFC 2119). Stated: neither RFC demands it, but this project says that it does so. */
sealed abstract class Level(val word: String) {

  /** One row of a table. */
  def apply(rule: String, name: String, request: String, outcomes: Outcome*): Case =
    Case(this, rule, name, request, outcomes)
}

case object MUST   extends Level("MUST")
case object SHOULD extends Level("SHOULD")
case object MAY    extends Level("MAY")
case object STATED extends Level("STATED")

/** What may become of the connection after the last reply. */
sealed trait After

object After {

  /** It answers a further request. */
  case object Open extends After

  /** It ends, and nothing of what was sent behind is answered. */
  case object Closed extends After

  /** Whichever of the two the reply announces. */
  case object AsSaid extends After
}

/**
 * One reply that is right.
 *
 * @param mayBreakOff a streamed reply may have begun before the fault came to light; then it must end broken off
 */
final case class Want(statuses: Set[Int], body: Option[String] = None, mayBreakOff: Boolean = false) {
  def matches(reply: Reply): Boolean =
    if (!reply.whole) mayBreakOff
    else statuses(reply.status) && body.forall(_ == reply.text)

  override def toString: String = {
    val codes =
      if (statuses.size > 6) s"one of ${statuses.size} statuses" else statuses.toSeq.sorted.mkString("/")
    codes + body.fold("")(b => s" [${Reply.visible(b.take(60))}]") + (if (mayBreakOff) " or broken off"
                                                                      else "")
  }
}

/** All the replies to what a case sends, and what follows. No replies: the connection just ends. */
final case class Outcome(wants: Seq[Want], after: After) {
  override def toString: String = (wants.map(_.toString) :+ after.toString).mkString(", ")

  /** The same with the connection going as the reply says. */
  def asSaid: Outcome = copy(after = After.AsSaid)

  def thenClosed: Outcome = copy(after = After.Closed)

  /** A further reply. */
  def +(other: Outcome): Outcome = Outcome(wants ++ other.wants, other.after)
}

object Outcome {
  val Hello = "Hello, World!"
  val Json  = """{"message":"Hello, World!"}"""

  /** 200 and this body; the connection stays. */
  def ok(body: String): Outcome = Outcome(Seq(Want(Set(200), Some(body))), After.Open)

  def status(codes: Int*): Outcome = Outcome(Seq(Want(codes.toSet)), After.AsSaid)

  val hello: Outcome = ok(Hello)
  val json: Outcome  = ok(Json)

  /** A message that is not HTTP: 400, then the end (RFC 9112 §2.2). */
  val refused: Outcome = status(400).thenClosed

  /** Refused where 501 says as much: a coding that is not known (RFC 9112 §6.1). */
  val refusedCoding: Outcome = status(400, 501).thenClosed

  /** A fault inside a body, which a streaming server finds only after it has begun to reply. */
  val refusedBody: Outcome = Outcome(Seq(Want(Set(400), mayBreakOff = true)), After.Closed)

  /** Larger than what is taken. */
  val tooLarge: Outcome = Outcome(Seq(Want(Set(400, 413), mayBreakOff = true)), After.Closed)

  /** Ended without a word, for what no HTTP client would send. */
  val hungUp: Outcome = Outcome(Nil, After.Closed)

  /** Any refusal of a request that was understood. */
  val anyClientError: Outcome = Outcome(Seq(Want((400 to 499).toSet + 501)), After.AsSaid)

  val anyFinal: Outcome = Outcome(Seq(Want((200 to 599).toSet)), After.AsSaid)
}

/**
 * One row of a table: what is sent, and what may come back.
 *
 * @param rule    the section that says so, such as "9112 §6.3"
 * @param request Latin-1, one character a byte
 * @param asks    for each reply what it answers, where the first line does not tell it
 * @param glue    whether sending the next request right behind makes sense
 * @param splits  whether to split it at every byte
 * @param millis  how long a reply may take
 */
final case class Case(
    level: Level,
    rule: String,
    name: String,
    request: String,
    outcomes: Seq[Outcome],
    asks: Seq[Ask] = Nil,
    glue: Boolean = true,
    splits: Boolean = true,
    millis: Long = ReplyReader.ReplyMillis
) {
  lazy val bytes: Array[Byte] = Wire.latin1(request)

  lazy val replies: Int = outcomes.map(_.wants.size).max

  private lazy val asked = if (asks.nonEmpty) asks else Seq(Ask.of(request))

  def ask(index: Int): Ask = if (index < asked.size) asked(index) else Ask.get

  def asking(asks: Ask*): Case = copy(asks = asks)

  def unglued: Case = copy(glue = false)

  def unsplit: Case = copy(splits = false)

  /** Answered as soon as it is known, not when a timeout strikes. */
  def atOnce: Case = copy(millis = Program.bodyTimeoutMillis * 3L / 4)
}

/** Requests as text. */
object Message {

  /** Lines of a head, each ended by CRLF, and the empty line. */
  def head(lines: String*): String = lines.map(_ + "\r\n").mkString + "\r\n"

  /** GET /plaintext with these field lines after Host. */
  def get(lines: String*): String = head("GET /plaintext HTTP/1.1" +: "Host: a" +: lines: _*)

  /** POST /echo with these field lines after Host. */
  def echo(lines: String*): String = head("POST /echo HTTP/1.1" +: "Host: a" +: lines: _*)

  /** POST /echo with a chunked body, given as on the wire. */
  def chunked(body: String): String = echo("Transfer-Encoding: chunked") + body

  /** A request line of this target, 1.1, and a Host. */
  def target(target: String): String = head(s"GET $target HTTP/1.1", "Host: a")

  /** What is sent behind a case: its answer can't be taken for another's. */
  val next: String = head("GET /json HTTP/1.1", "Host: next")
}
