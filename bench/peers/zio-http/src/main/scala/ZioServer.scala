import java.time.format.DateTimeFormatter
import java.time.{ZoneOffset, ZonedDateTime}
import java.util.Locale

import zio._
import zio.http._
import zio.http.netty.NettyConfig
import zio.json._

/** ZIO HTTP 3 with its routes, one Netty thread on the transport it picks. Date and Server are set by the application. */
object ZioServer extends ZIOAppDefault {
  private final case class Message(message: String)
  private implicit val encoder: JsonEncoder[Message] = DeriveJsonEncoder.gen[Message]

  private val format              = DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
  private def render              = format.format(ZonedDateTime.now(ZoneOffset.UTC))
  @volatile private var date      = render
  private val ticking             = ZIO.succeed { date = render }.repeat(Schedule.fixed(1.second)).unit
  private val text                = Header.ContentType(MediaType.text.plain)
  private val json                = Header.ContentType(MediaType.application.json)
  private def headers(type_ : Header) = Headers(type_, Header.Custom("date", date), Header.Custom("server", "zio-http"))

  private val routes = Routes(
    Method.GET / "plaintext" -> Handler.fromFunction[Request](_ => Response(headers = headers(text), body = Body.fromString("Hello, World!"))),
    Method.GET / "json"      -> Handler.fromFunction[Request](_ =>
      Response(headers = headers(json), body = Body.fromString(Message("Hello, World!").toJson))
    ),
    Method.POST / "echo" -> Handler.fromFunction[Request] { request =>
      val length = request.header(Header.ContentLength).map(_.length)
      val body   = length.fold(Body.fromStreamChunked(request.body.asStream))(Body.fromStream(request.body.asStream, _))
      Response(headers = headers(Header.ContentType(MediaType.application.`octet-stream`)), body = body)
    }
  )

  def run: ZIO[ZIOAppArgs, Any, Any] = for {
    arguments <- getArgs
    config     = Server.Config.default.binding("127.0.0.1", arguments(0).toInt).enableRequestStreaming
    netty      = NettyConfig.default.maxThreads(1)
    _         <- ticking.fork
    _         <- Server.serve(routes).provide(ZLayer.succeed(config), ZLayer.succeed(netty), Server.customized)
  } yield ()
}
