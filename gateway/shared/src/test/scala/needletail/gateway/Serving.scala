package needletail.gateway

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.gateway.serve.GatewayConfig
import needletail.http._
import needletail.io.Address
import needletail.server.{Log, RunningServer, ServerConfig, ServerFixture}
import needletail.testing.Suite

/** What suites over sockets share: a handler, a server, requests. */
abstract class Serving extends Suite {
  protected val base: ServerConfig = ServerConfig(loops = 2, log = Log.none)

  /** Cancelled requests for /wait, counted. */
  protected val cancelled = new java.util.concurrent.atomic.AtomicInteger

  /** Requests for /wait that the handler has, counted. */
  protected val awaited = new java.util.concurrent.atomic.AtomicInteger

  protected val handler: Handler = request =>
    request.path match {
      case "/hello"  => Response.ok("hello")
      case "/slow"   => Async.sleep(100.millis).map(_ => Response.ok("slow"))
      case "/echo"   => Response.ok.stream(request.body.stream)
      case "/length" => request.body.bytes.map(bytes => Response.ok(bytes.length.toString))
      case "/later"  =>
        Async.sleep(100.millis).flatMap(_ => request.body.bytes).map(bytes =>
          Response.ok(bytes.length.toString)
        )
      case "/ignore"  => Response.ok("not read")
      case "/large"   => Response.ok.bytes(Serving.large)
      case "/endless" =>
        Response.ok.stream(ByteStream.fromIterator(Iterator.continually(new Array[Byte](16 * 1024))))
      case "/broken" =>
        Response.ok.stream(ByteStream.fromIterator(Iterator(Serving.large) ++ failing))
      case "/cut" =>
        Response.ok.stream(
          ByteStream.fromIterator(Iterator(Serving.large) ++ failing),
          2L * Serving.large.length
        )
      case "/events" => // whose next one never comes
        Response.ok.contentType("text/event-stream").stream(Serving.waiting("data: 1\n\n"))
      case "/until-drain" =>
        Response.ok.stream(Serving.waiting("first").until(request.connection.draining))
      case "/fails"       => throw new IllegalStateException("the secret reason")
      case "/fails-later" =>
        Async.sleep(1.milli).map(_ => throw new IllegalStateException("the later reason"))
      case "/wait" =>
        val never = new AsyncPromise[Response]
        never.onCancel { () => cancelled.incrementAndGet(); () }
        awaited.incrementAndGet()
        never
      case "/about" =>
        val about = GatewayRequest.of(request)
        Response.ok(
          s"${request.method} ${request.target} host=${request.authority} secure=${request.connection.isSecure} " +
            s"remote=${request.connection.remoteAddress} local=${request.connection.localAddress} " +
            s"script=${about.fold("-")(_.scriptName)} user=${about.flatMap(_.variable("REMOTE_USER")).getOrElse("-")}"
        )
      case path => Response(Status.NotFound).text(s"nothing at $path")
    }

  private def failing: Iterator[Array[Byte]] = new Iterator[Array[Byte]] {
    def hasNext             = true
    def next(): Array[Byte] = throw new IllegalStateException("the secret reason")
  }

  protected def serving[A](
      front: Address => FrontProtocol,
      config: GatewayConfig = GatewayConfig(server = base)
  )(body: RunningServer => A): A =
    ServerFixture.serving(Gateway.start(handler, front(Address.Tcp("127.0.0.1", 0)), config))(body)

  protected def get(path: String, more: (String, String)*): Seq[(String, String)] =
    variables("GET", path, more: _*)

  protected def variables(method: String, path: String, more: (String, String)*): Seq[(String, String)] =
    Seq(
      "GATEWAY_INTERFACE" -> "CGI/1.1",
      "SERVER_PROTOCOL"   -> "HTTP/1.1",
      "REQUEST_METHOD"    -> method,
      "REQUEST_URI"       -> path,
      "SCRIPT_NAME"       -> path,
      "SERVER_NAME"       -> "example.test"
    ) ++ more
}

object Serving {

  /** A stream that waits forever after its first piece. */
  def waiting(first: String): ByteStream = new ByteStream {
    private var handed                     = false
    def next(): Async[Option[Array[Byte]]] =
      if (handed) new AsyncPromise[Option[Array[Byte]]]
      else {
        handed = true
        Async.value(Some(first.getBytes))
      }
    def cancel(): Unit = ()
  }

  val large: Array[Byte] = Array.tabulate(1000 * 1000)(i => ('a' + i % 26).toByte)
}
