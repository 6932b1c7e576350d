package needletail.gateway

import needletail.async.Async
import needletail.gateway.format.fastcgi.{FastCgiRecord, FastCgiWriter}
import needletail.gateway.serve.GatewayConfig
import needletail.http._
import needletail.io.Address
import needletail.server.{Log, ServerConfig, ServerFixture}
import needletail.testing.UserErrors

/** Whatever user code throws, and wherever: no request of a web server gets the response of another. */
class AnswerToAnotherRequestSuite extends Serving {
  import UserErrors.survivable

  private final class Failing(e: () => Throwable) extends ByteStream {
    private var pieces                     = 0
    def next(): Async[Option[Array[Byte]]] = {
      pieces += 1
      if (pieces == 1) Async.value(Some("mine".getBytes)) else throw e()
    }
    def cancel(): Unit = throw e()
  }

  /** /mine/N answers, /throws/N and /streams/N fail as the Nth of `survivable` does; so do the logs. */
  private val failing: Handler = request => {
    def failure = survivable(request.path.split('/').last.toInt)
    request.path.split('/')(1) match {
      case "throws"  => throw failure()
      case "later"   => Async.unit.map[Response](_ => throw failure())
      case "streams" => Response.ok.stream(new Failing(failure))
      case _         => Response.ok(s"answer to ${request.path}")
    }
  }
  private val logging = new Log {
    def warn(message: String): Unit                    = ()
    def error(message: String, cause: Throwable): Unit = throw new NoClassDefFoundError("the log")
  }
  private val config = GatewayConfig(server =
    ServerConfig(
      loops = 1,
      log = logging,
      accessLog = Some((_, _, _, _) => throw new StackOverflowError("deep"))
    )
  )

  test(
    "fault 1: requests of other connections of the loop get their own answers, whatever is thrown beside them"
  ) {
    ServerFixture.serving(
      Gateway.start(failing, FrontProtocol.FastCgi(Address.Tcp("127.0.0.1", 0)), config)
    ) { server =>
      for (place <- List("throws", "later", "streams"); n <- survivable.indices) {
        val attacker = new FastCgiClient(server.port)
        val victim   = new FastCgiClient(server.port)
        try {
          val hint = s"$place, ${survivable(n)()}"
          attacker.raw(Records.written { w =>
            for ((path, id) <- List("mine" -> 1, place -> 2)) {
              val params = Records.params(get(s"/$path/$n"): _*)
              FastCgiWriter.beginRequest(w, id, FastCgiRecord.Responder, keepConnection = true)
              FastCgiWriter.stream(w, FastCgiRecord.Params, id, params, 0, params.length)
              FastCgiWriter.endStream(w, FastCgiRecord.Params, id)
              FastCgiWriter.endStream(w, FastCgiRecord.Stdin, id)
            }
          })
          val own = victim.request(3, get(s"/victim/$n")).answer(3)
          assertEquals(own.content, s"answer to /victim/$n", hint)
          val answers = attacker.answersOf(2)
          assertEquals(answers(1).content, s"answer to /mine/$n", hint)
          assert(!answers(2).out.contains("answer to"), s"$hint: ${answers(2)}")
          if (place != "streams") assert(answers(2).head.startsWith("Status: 500"), s"$hint: ${answers(2)}")
          assertEquals(attacker.request(1, get(s"/more/$n")).answer(1).content, s"answer to /more/$n", hint)
        } finally {
          attacker.close()
          victim.close()
        }
      }
    }
  }
}
