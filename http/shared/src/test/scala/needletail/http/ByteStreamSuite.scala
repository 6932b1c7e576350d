package needletail.http

import needletail.async.{Async, AsyncPromise}
import needletail.http.message.HttpError
import needletail.stream.Stream
import needletail.testing.Suite

class ByteStreamSuite extends Suite {
  private def text(stream: Stream[Array[Byte]]): String =
    stream.map(new String(_, "UTF-8")).toList(100).poll.get.get.mkString("|")

  test("any stream of arrays is a ByteStream without empty pieces") {
    val bytes: ByteStream = Stream("a", "", "b").utf8
    assertEquals(text(bytes), "a|b")
    val same = ByteStream.of("a".getBytes)
    assert(ByteStream.from(same) eq same)
  }

  test("the operators of streams apply to it, and cancel it") {
    var cancelled = 0
    val endless   = new ByteStream {
      def next(): Async[Option[Array[Byte]]] = Async.value(Some("ab\n".getBytes))
      def cancel(): Unit                     = cancelled += 1
    }
    assertEquals(endless.lines().map(_.toUpperCase).take(2).toList(9).poll.get.get, List("AB", "AB"))
    assertEquals(cancelled, 1)
    val bytes = ByteStream.from(endless.map(_.reverse))
    assertEquals(new String(bytes.next().poll.get.get.get), "\nba")
    bytes.cancel()
    bytes.cancel()
    assertEquals(cancelled, 2)
  }

  test("until ends it when the signal comes and no piece is ready") {
    val signal    = new AsyncPromise[Unit]
    var cancelled = 0
    val waiting   = new ByteStream {
      def next(): Async[Option[Array[Byte]]] = new AsyncPromise[Option[Array[Byte]]]
      def cancel(): Unit                     = cancelled += 1
    }
    val stream = waiting.until(signal)
    val next   = stream.next()
    assert(!next.isCompleted)
    signal.succeed(())
    assertEquals(next.poll.get.get, None)
    assertEquals(cancelled, 1)
    val ready = ByteStream.fromIterator(Iterator("a", "b").map(_.getBytes)).until(signal)
    assertEquals(text(ready), "a|b")
  }

  test("a body by lines; one that is too long is HttpError 413") {
    assertEquals(MessageBody.of("a\r\nb").lines().toList(9).poll.get.get, List("a", "b"))
    MessageBody.of("a\n12345").lines(longest = 4).toList(9).poll.get.failed.get match {
      case e: HttpError => assertEquals((e.status.code, e.message), (413, "a line is longer than 4 bytes"))
      case e            => fail("not an HttpError", e)
    }
  }
}
