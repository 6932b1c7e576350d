import com.typesafe.config.ConfigFactory
import org.apache.pekko.actor.ActorSystem
import org.apache.pekko.http.scaladsl.Http
import org.apache.pekko.http.scaladsl.marshallers.sprayjson.SprayJsonSupport._
import org.apache.pekko.http.scaladsl.model._
import org.apache.pekko.http.scaladsl.server.Directives._
import spray.json.DefaultJsonProtocol._
import spray.json.RootJsonFormat

/** Pekko HTTP with its routing DSL, on the default dispatcher (one thread where there is one core). */
object PekkoServer {
  private final case class Message(message: String)
  private implicit val format: RootJsonFormat[Message] = jsonFormat1(Message.apply)

  // Off by default: without it one request is in the works at a time on each connection.
  private val configuration = ConfigFactory.parseString("""
    pekko.loglevel = WARNING
    pekko.http.server.pipelining-limit = 16
    pekko.http.server.backlog = 4096
    pekko.http.server.max-connections = 16384
    pekko.http.server.idle-timeout = 600 s
    pekko.http.server.server-header = pekko-http
    pekko.http.server.parsing.max-content-length = infinite
    pekko.actor.default-dispatcher.fork-join-executor { parallelism-min = 1, parallelism-max = 1 }
  """).withFallback(ConfigFactory.load())

  private val hello = HttpEntity(ContentType(MediaTypes.`text/plain`, HttpCharsets.`UTF-8`), "Hello, World!".getBytes)

  def main(arguments: Array[String]): Unit = {
    implicit val system: ActorSystem = ActorSystem("server", configuration)
    val routes = concat(
      (get & path("plaintext"))(complete(hello)),
      (get & path("json"))(complete(Message("Hello, World!"))),
      (post & path("echo"))(extractRequestEntity(entity => complete(HttpResponse(entity = entity))))
    )
    Http().newServerAt("127.0.0.1", arguments(0).toInt).bind(routes)
    ()
  }
}
