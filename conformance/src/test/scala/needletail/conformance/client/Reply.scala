package needletail.conformance.client

/** What of the request decides how its reply is read: HEAD has no body; 1.0 closes by default and knows no chunks. */
final case class Ask(head: Boolean = false, oneZero: Boolean = false)

object Ask {
  val get: Ask = Ask()

  /** From the first line of a request that has one; anything else is taken for a GET of 1.1. */
  def of(request: String): Ask = {
    val line = request.dropWhile(c => c == '\r' || c == '\n').takeWhile(c => c != '\r' && c != '\n')
    Ask(head = line.startsWith("HEAD "), oneZero = line.endsWith(" HTTP/1.0"))
  }
}

sealed trait Framing

object Framing {
  case object Nothing                  extends Framing
  final case class Length(bytes: Long) extends Framing
  case object Chunked                  extends Framing
  case object UntilClose               extends Framing
}

/**
 * A reply as it stood on the wire.
 *
 * @param whole    false when the connection ended before the message did (RFC 9112 §8)
 * @param interim  1xx replies that came before it
 */
final case class Reply(
    version: String,
    status: Int,
    reason: String,
    fields: Vector[(String, String)],
    framing: Framing,
    body: Array[Byte],
    trailers: Vector[(String, String)],
    whole: Boolean,
    interim: Vector[Reply] = Vector.empty
) {
  def all(name: String): Vector[String] =
    fields.collect { case (n, value) if n.equalsIgnoreCase(name) => value }

  def has(name: String): Boolean = all(name).nonEmpty

  /** Members of a list field, over all its lines. */
  def list(name: String): Vector[String] = all(name).flatMap(_.split(",").map(_.trim).filter(_.nonEmpty))

  def text: String = Wire.latin1(body)

  private def option(name: String): Boolean = list("Connection").exists(_.equalsIgnoreCase(name))

  def saysClose: Boolean = option("close")

  /** Whether the connection ends after this reply, by RFC 9112 §9.3. */
  def closes(ask: Ask): Boolean =
    saysClose || !whole || framing == Framing.UntilClose || (ask.oneZero && !option("keep-alive")) ||
      (version == "HTTP/1.0" && !option("keep-alive"))

  override def toString: String = {
    val shown = if (body.length > 60) text.take(60) + "…" else text
    s"$status${if (whole) "" else " broken off"}${if (saysClose) " close" else ""} [${Reply.visible(shown)}]"
  }
}

object Reply {
  def visible(text: String): String = text.map {
    case '\r'                    => "\\r"
    case '\n'                    => "\\n"
    case c if c < ' ' || c > '~' => f"\\x${c.toInt}%02x"
    case c                       => c.toString
  }.mkString
}

/** What a connection showed next. */
sealed trait Seen

object Seen {
  final case class Answer(reply: Reply) extends Seen

  /** The peer closed, with no byte of a reply before. */
  case object Ended extends Seen

  /** The peer reset the connection, with no whole head of a reply before. */
  case object Reset extends Seen

  /** Nothing, or not all, until the deadline. */
  final case class Silent(read: String) extends Seen

  /** Not a reply by the grammar. */
  final case class Nonsense(why: String) extends Seen
}
