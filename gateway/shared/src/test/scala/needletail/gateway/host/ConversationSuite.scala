package needletail.gateway.host

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.gateway.host.backend.{AnswerBuffer, Backend}
import needletail.gateway.host.incoming.{ProgramRequest, ScriptPath, SizedContent}
import needletail.http.{ByteStream, Request}
import needletail.io.EventLoop
import needletail.testing.{Pause, Suite}

/** A response whose reader stops waiting for a piece, and asks for it again later. */
class ConversationSuite extends Suite with OnALoop {
  private final class Fake extends Backend {
    val answer                                 = new AnswerBuffer(1000, () => ())
    var isStopped                              = false
    def write(bytes: Array[Byte]): Async[Unit] = Async.unit
    def endInput(): Unit                       = ()
    def output: ByteStream                     = answer.stream
    def hasEnded: Boolean                      = answer.isOver
    def stop(): Unit                           = isStopped = true
    def says(text: String): Unit               = answer.add(text.getBytes)
  }

  /** The content of the response that begins so. */
  private def begun(loop: EventLoop, backend: Fake, head: String, content: SizedContent): ByteStream = {
    val request = new ProgramRequest(
      Request.get("/x"),
      ScriptPath("/x", "", null, null),
      content,
      Nil,
      "x",
      loop
    )
    val begun = new Conversation(request, ProgramHostConfig(timeout = 200.millis)).begin(backend)(_ => ())
    backend.says(head)
    begun.poll.map(_.get) match {
      case Some(Conversation.Final(response)) => response.body.stream
      case other                              => fail(s"no response, but $other")
    }
  }

  private def text(result: Async[Option[Array[Byte]]]): Option[String] =
    result.poll.getOrElse(fail("nothing has come")).get.map(new String(_))

  test("a program is not waited for while nobody reads its output") {
    withLoop { loop =>
      val backend = new Fake
      val stream  = on(loop) {
        val stream = begun(loop, backend, "Content-Type: text/plain\n\n", SizedContent.none)
        stream.next().cancel()
        stream
      }
      Pause(1.second) // five times what it may do nothing while it is waited for
      on(loop) {
        assert(!backend.isStopped)
        backend.says("one")
        assertEquals(text(stream.next()), Some("one"))
        stream.cancel()
      }
    }
  }

  test("the last piece, which waits for the request to be read, comes with the next read") {
    onLoop { loop =>
      val backend = new Fake
      val content = new AsyncPromise[Option[Array[Byte]]]
      val source  = new ByteStream {
        private var asked                      = false
        def next(): Async[Option[Array[Byte]]] = if (asked) Async.value(None)
        else {
          asked = true
          content
        }
        def cancel(): Unit = ()
      }
      val stream = begun(loop, backend, "Content-Length: 2\n\nok", new SizedContent(1, source, () => ()))
      val last   = stream.next()
      assertEquals(last.poll, None)
      last.cancel()
      val again = stream.next()
      assertEquals(again.poll, None)
      again.cancel()
      content.succeed(Some(Array[Byte]('x')))
      backend.answer.end(null)
      assertEquals(text(stream.next()), Some("ok"))
      assertEquals(text(stream.next()), None)
    }
  }
}
