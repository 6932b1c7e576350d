package needletail.server

import scala.concurrent.duration._

import needletail.async.Async
import needletail.http.MessageBody
import needletail.routing._
import needletail.stream.Stream
import needletail.testing.Suite
import needletail.testkit._

class StreamGuideSuite extends Suite {
  private def withGuide[A](save: String => Async[Unit])(test: (StreamGuide, ManualLoop) => A): A = {
    val loop = new ManualLoop
    test(loop.within(new StreamGuide(save)), loop)
  }

  private def post(pieces: String*) =
    Request.post("/lines", MessageBody.streamed(Stream.from(pieces).utf8, -1))

  test("a body is read by lines") {
    var saved = List.empty[String]
    withGuide { line => saved ::= line; Async.sleep(1.milli) } { (guide, loop) =>
      assertEquals(guide.upload.test(post("one\nt", "wo\n\nthr", "ee"), loop).text, "3 lines")
      assertEquals(saved.reverse, List("one", "two", "three"))
    }
  }

  test("a line that is too long is 413") {
    withGuide(_ => Async.unit) { (guide, loop) =>
      val reply = guide.upload.test(post("a\n", "x" * 1001), loop)
      assertEquals((reply.status.code, reply.text), (413, "a line is longer than 1000 bytes"))
    }
  }

  test("a response is a stream") {
    withGuide(_ => Async.unit) { (guide, loop) =>
      assertEquals(guide.numbers.test(Request.get("/numbers/3"), loop).text, "1\n2\n3\n")
    }
  }

  test("progress comes from an actor, and a client that has gone is forgotten") {
    withGuide(_ => Async.unit) { (guide, loop) =>
      val gone   = guide.progress.test(Request.get("/progress"), loop)
      val reader = guide.progress.test(Request.get("/progress"), loop)
      loop.runAll()
      guide.job ! guide.Progress(10)
      assertEquals(reader.pieces.next(), Some("data: 10\n\n"))
      assertEquals(reader.pieces.next(), Some(": still here\n\n"))
      assertEquals(gone.pieces.next(), Some("data: 10\n\n"))
      gone.pieces.cancel()
      guide.job ! guide.Progress(100)
      assertEquals(reader.pieces.next(), Some("data: 100\n\n"))
      assertEquals(reader.pieces.next(), None)
      assertEquals(gone.pieces.next(), None)
    }
  }
}
