package needletail.simulation.peer.gateway

import needletail.simulation.reader.{CgiReader, Mark, SentRequest}
import needletail.simulation.service.Service
import needletail.simulation.world.SeededRandom

/** A random request of a web server to a gateway, whatever the protocol between them. */
final class GatewayRequest(random: SeededRandom, mark: String) {
  val hasBody: Boolean     = random.percent(50)
  private val kind: String = random.pick(if (hasBody) Service.bodyKinds else Service.kinds)

  /** Bytes of its content, and of the response's in most cases. */
  val size: Int            = if (random.percent(80)) random.skewed(3000) else random.skewed(100000)
  val content: Array[Byte] = if (hasBody) Mark.content(mark, size) else Array.emptyByteArray
  private val method       = if (hasBody) "POST" else if (random.percent(10)) "HEAD" else "GET"
  val asked: SentRequest   = new SentRequest(
    mark,
    method,
    if (kind == "page") null else Mark.content(mark, size),
    mayContinue = false,
    Service.mayEndEarly(kind)
  )

  /** Its variables. `length` is announced as that of its content; negative: none is. */
  def variables(length: Int): Seq[(String, String)] = CgiReader.variables(asked, kind, size, length)
}
