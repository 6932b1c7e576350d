import java.util.Collections

import com.fasterxml.jackson.databind.ObjectMapper
import scalene.actor.Pool
import scalene.http.{Body, BodyFormatter, ContentType}
import scalene.routing._
import BasicConversions._

/** The plaintext and JSON routes of Scalene's own benchmark, on one worker. */
object ScaleneServer {
  private val mapper = new ObjectMapper

  private final case class Message(message: String)

  implicit private val format: BodyFormatter[Message] = new BodyFormatter[Message] {
    def apply(message: Message) =
      Body(
        mapper.writeValueAsBytes(Collections.singletonMap("message", message.message)),
        Some(ContentType.`application/json`)
      )
  }

  def main(args: Array[String]): Unit = {
    implicit val pool: Pool = new Pool
    val settings            = Settings.basic(
      serverName = "scalene",
      port = args(0).toInt,
      server = ServerSettings.Default.copy(numWorkers = Some(1))
    )
    val plaintext = Body.plain("Hello, World!")
    Routing.start(
      settings,
      Routes(
        GET / "plaintext" to { _ => plaintext.ok },
        GET / "json" as Message("Hello, World!").ok
      )
    )
    ()
  }
}
