import java.util.Collections

import akka.actor.ActorSystem
import colossus.core.IOSystem
import colossus.metrics.{MetricSystem, MetricSystemConfig}
import colossus.protocols.http._
import colossus.service.Callback.Implicits._
import com.fasterxml.jackson.databind.ObjectMapper

/** The routes of Colossus' own benchmark, on one worker. */
object ColossusServer {
  private val mapper = new ObjectMapper

  implicit object JsonBody extends HttpBodyEncoder[java.util.Map[String, String]] {
    val contentType: String = ContentType.ApplicationJson
    def encode(value: java.util.Map[String, String]): HttpBody = new HttpBody(mapper.writeValueAsBytes(value))
  }

  def main(args: Array[String]): Unit = {
    implicit val actors: ActorSystem = ActorSystem("colossus")
    implicit val io: IOSystem        = IOSystem("colossus", Some(1), MetricSystem.deadSystem)
    HttpServer.basic("benchmark", args(0).toInt) {
      case request if request.head.url == "/plaintext" => request.ok("Hello, World!")
      case request if request.head.url == "/json"      =>
        request.ok(Collections.singletonMap("message", "Hello, World!"))
    }
    ()
  }
}
