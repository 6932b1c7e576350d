import cats.effect.{ExitCode, IO, IOApp}
import com.comcast.ip4s.{Host, Port}
import io.circe.Json
import org.http4s.circe._
import org.http4s.dsl.io._
import org.http4s.ember.server.EmberServerBuilder
import org.http4s.headers.{`Content-Type`, Server => ServerName}
import org.http4s.{Headers, HttpRoutes, MediaType, ProductId, Response}

import scala.concurrent.duration._

/** http4s on Ember, on Cats Effect's own runtime (one compute thread where there is one core). */
object EmberServer extends IOApp {
  private val name = ServerName(ProductId("ember"))

  private val routes = HttpRoutes.of[IO] {
    case GET -> Root / "plaintext"      => Ok("Hello, World!", name, `Content-Type`(MediaType.text.plain))
    case GET -> Root / "json"           => Ok(Json.obj("message" -> Json.fromString("Hello, World!")), name)
    case request @ POST -> Root / "echo" =>
      val headers = request.headers.get[`Content-Type`].fold(Headers(name))(Headers(name, _))
      IO.pure(Response[IO](body = request.body, headers = headers))
  }

  def run(arguments: List[String]): IO[ExitCode] =
    EmberServerBuilder
      .default[IO]
      .withHost(Host.fromString("127.0.0.1").get)
      .withPort(Port.fromString(arguments.head).get)
      .withMaxConnections(16384)
      .withIdleTimeout(600.seconds)
      .withHttpApp(routes.orNotFound)
      .build
      .useForever
}
