package needletail.simulation.peer.gateway

import needletail.simulation.reader.{CgiReader, SentRequest}
import needletail.simulation.service.Service
import needletail.simulation.world.SeededRandom

/** A random request of a web server to a gateway, whatever the protocol between them. */
final class GatewayRequest(random: SeededRandom, mark: String) {
  val hasBody: Boolean     = random.percent(50)
  private val kind: String = random.pick(if (hasBody) Service.bodyKinds else Service.kinds)

  /** Bytes of its content, and of the response's in most cases. */
  private val wanted =
    Service.content(kind, mark, if (random.percent(80)) random.skewed(3000) else random.skewed(100000))
  val size: Int            = wanted.length
  val content: Array[Byte] = if (hasBody) wanted else Array.emptyByteArray
  private val method       = if (hasBody) "POST" else if (random.percent(10)) "HEAD" else "GET"
  val asked: SentRequest   = new SentRequest(
    mark,
    method,
    if (kind == "page") null else wanted,
    mayContinue = false,
    Service.mayEndEarly(kind)
  )

  /** Its variables. `length` is announced as that of its content; negative: none is. */
  def variables(length: Int): Seq[(String, String)] = {
    val authorization = Option(Service.authorization(kind)).map("HTTP_AUTHORIZATION" -> _)
    CgiReader.variables(asked, kind, size, length) ++ authorization
  }
}
