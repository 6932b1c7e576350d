package needletail.gateway.host

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.gateway.host.incoming.{ProgramRequest, ScriptPath, SizedContent}
import needletail.http.{ByteStream, Request}
import needletail.io.EventLoop
import needletail.testing.{Pause, Suite}

/** Readers that stop waiting for a piece and ask for it again later, and content that fails. */
class ConversationSuite extends Suite with OnALoop {
  private def conversation(loop: EventLoop, content: SizedContent): Conversation = {
    val request = new ProgramRequest(
      Request.get("/x"),
      ScriptPath("/x", "", null, null),
      content,
      Nil,
      "x",
      loop
    )
    new Conversation(request, ProgramHostConfig(timeout = 200.millis))
  }

  /** The content of the response that begins so. */
  private def begun(
      loop: EventLoop,
      backend: FakeBackend,
      head: String,
      content: SizedContent
  ): ByteStream = {
    val begun = conversation(loop, content).begin(backend)(_ => ())
    backend.says(head)
    begun.poll.map(_.get) match {
      case Some(Conversation.Final(response)) => response.body.stream
      case other                              => fail(s"no response, but $other")
    }
  }

  /** Content of `pieces` pieces of one byte, and then what `fails` does. */
  private def failing(pieces: Int)(fails: => Async[Option[Array[Byte]]]): SizedContent = {
    var left   = pieces
    val source = new ByteStream {
      def next(): Async[Option[Array[Byte]]] = if (left == 0) fails
      else {
        left -= 1
        Async.value(Some(Array[Byte]('x')))
      }
      def cancel(): Unit = ()
    }
    new SizedContent(10, source, () => ())
  }

  private final class Broken extends RuntimeException("the content is broken")

  test("content that throws, or is null, fails the response at once, and the program is ended") {
    val ways =
      List[() => Async[Option[Array[Byte]]]](
        () => throw new Broken,
        () => null,
        () => Async.value(Some(null))
      )
    for (fails <- ways; pieces <- 0 to 2) onLoop { loop =>
      val backend = new FakeBackend
      var ends    = List.empty[Boolean]
      val answer  =
        conversation(loop, failing(pieces)(fails())).begin(backend)(complete => ends = complete :: ends)
      val failure = answer.poll.getOrElse(fail("it waits")).failed.get
      assert(failure.isInstanceOf[Broken] || failure.isInstanceOf[NullPointerException], failure)
      assertEquals((backend.isStopped, ends), (true, List(false)))
    }
  }

  test("whatever fails while a conversation ends, its program is ended, and its place given back") {
    onLoop { loop =>
      val backend = new FakeBackend
      var ends    = 0
      val content =
        new SizedContent(10, failing(1)(new AsyncPromise[Option[Array[Byte]]]).stream, () => throw new Broken)
      val answer = conversation(loop, content).begin(backend)(_ => ends += 1)
      try answer.cancel()
      catch { case _: Broken => () }
      assertEquals((backend.isStopped, ends), (true, 1))
    }
  }

  test("a conversation that cannot begin ends its program, and gives back the place") {
    onLoop { loop =>
      val backend = new FakeBackend {
        override def endInput(): Unit = throw new Broken
      }
      var ends = 0
      intercept[Broken](conversation(loop, SizedContent.none).begin(backend)(_ => ends += 1))
      assertEquals((backend.isStopped, ends), (true, 1))
    }
  }

  private def text(result: Async[Option[Array[Byte]]]): Option[String] =
    result.poll.getOrElse(fail("nothing has come")).get.map(new String(_))

  test("a program is not waited for while nobody reads its output") {
    withLoop { loop =>
      val backend = new FakeBackend
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
      val backend = new FakeBackend
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
