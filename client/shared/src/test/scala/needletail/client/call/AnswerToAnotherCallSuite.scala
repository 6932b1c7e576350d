package needletail.client.call

import scala.util.{Failure, Success, Try}

import needletail.async.Async
import needletail.client.Serving
import needletail.http._
import needletail.testing.{Suite, UserErrors}

/** Whatever code of callers throws, and wherever: no call sends a byte of another, and none gets another's response. */
class AnswerToAnotherCallSuite extends Suite with Serving {
  import UserErrors.survivable

  private final class Failing(pieces: Int, e: () => Throwable) extends ByteStream {
    private var left                       = pieces
    def next(): Async[Option[Array[Byte]]] =
      if (left == 0) throw e()
      else {
        left -= 1
        Async.value(Some("a piece of another's".getBytes))
      }
    def cancel(): Unit = throw e()
  }

  private val echo: Handler =
    request => request.body.bytes.map(b => Response.ok(s"${request.path} with '${new String(b)}'"))

  test(
    "fault 1: calls of a loop send their own bytes and get their own responses, whatever is thrown beside them"
  ) {
    serving(echo) { (server, client) =>
      val url = s"http://127.0.0.1:${server.port}"
      for (e <- survivable; pieces <- 0 to 2) {
        val hint   = s"${e()} after $pieces pieces"
        val others = (1 to 3).map(n => client.post(s"$url/own/$n").body(s"text $n"))
        val broken = client.post(s"$url/broken").body(new Failing(pieces, e))
        // begun together, so that the loop lends what it has to all of them
        val first = others(0).future
        val fails = broken.future
        val calls = first +: others.drop(1).map(_.future)
        for ((call, n) <- calls.zip(1 to 3))
          assertEquals(await(call).text, s"/own/$n with 'text $n'", hint)
        Try(await(fails)) match {
          case Success(response) => fail(s"$hint: a broken body was sent: ${response.text}")
          case Failure(_)        => ()
        }
        assertEquals(client.get(s"$url/after").await().text, "/after with ''", hint)
      }
      assertEquals(client.statistics.map(_.inFlight).sum, 0)
    }
  }
}
