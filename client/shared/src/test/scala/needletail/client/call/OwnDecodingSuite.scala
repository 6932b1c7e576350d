package needletail.client.call

import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.client.Misbehaving
import needletail.client.config.ContentDecoding
import needletail.client.error.ClientError
import needletail.http.ByteStream
import needletail.io.EventLoop
import needletail.testing.Suite

/** Decoders of a program's own that do not do what they should. */
class OwnDecodingSuite extends Suite with Misbehaving {
  private def decoding(decoder: ByteStream => ByteStream) = strict.copy(
    loops = 1,
    decoding = Some(new ContentDecoding {
      def accepts: String                                                 = "x"
      def decode(coding: String, content: ByteStream): Option[ByteStream] = Some(decoder(content))
    })
  )

  private val coded = "HTTP/1.1 200 OK\r\nContent-Encoding: x\r\nContent-Length: 2\r\n\r\nok"

  test("one that never comes to an end is ended by the call's time limit, and cancelled") {
    @volatile var cancelled = 0
    val silent              = decoding(_ =>
      new ByteStream {
        def next(): Async[Option[Array[Byte]]] = new AsyncPromise[Option[Array[Byte]]]
        def cancel(): Unit                     = cancelled += 1
      }
    )
    scripted((peer, _) => peer.send(coded), silent) { (server, client) =>
      val e = intercept[ClientError.TimedOut](client.get(server.url).timeout(500.millis).await())
      assert(e.getMessage.endsWith("not complete within 500 ms: its content was being decoded"), e.getMessage)
      eventually(cancelled == 1, cancelled)
      assertEquals(client.statistics.head.inFlight, 0)
    }
  }

  test("one that is never done, and always has a piece ready, is ended by the call's time limit, too") {
    @volatile var cancelled = 0
    val busy                = decoding(_ =>
      new ByteStream {
        private var left                       = 50000000 // a test that fails is to end
        def next(): Async[Option[Array[Byte]]] = {
          left -= 1
          Async.value(if (left > 0) Some(new Array[Byte](0)) else None)
        }
        def cancel(): Unit = cancelled += 1
      }
    )
    scripted((peer, _) => peer.send(coded), busy) { (server, client) =>
      val e = intercept[ClientError.TimedOut](client.get(server.url).timeout(500.millis).await())
      assert(e.getMessage.endsWith("not complete within 500 ms: its content was being decoded"), e.getMessage)
      eventually(cancelled == 1, cancelled)
    }
  }

  test("one that throws for a streamed response fails the call with that, and not the host") {
    val broken: List[(ByteStream => ByteStream, String)] = List(
      ((_: ByteStream) => throw new IllegalStateException("unknown")) -> "unknown",
      ((content: ByteStream) => {
        val _ = content.next()
        throw new LinkageError("begun")
      }) -> "begun",
      ((content: ByteStream) => {
        content.cancel()
        throw new IllegalStateException("cancelled")
      }) -> "cancelled"
    )
    for ((decoder, message) <- broken)
      scripted((peer, _) => peer.send(coded), decoding(decoder)) { (server, client) =>
        val error = client.await(client.get(server.url).stream.map(_ => "").recover { case e =>
          e.getMessage
        })
        assertEquals(error, message)
        assertEquals(client.await(client.get(server.url).undecoded.text), "ok")
        val now = client.statistics.head
        assertEquals((now.failures, now.inFlight), (0L, 0))
      }
  }

  test("what one that throws has begun to read is cancelled") {
    @volatile var begun = Option.empty[Async[Option[Array[Byte]]]]
    val broken          = decoding { content =>
      begun = Some(content.next())
      throw new IllegalStateException("begun")
    }
    scripted((peer, _) => peer.send(coded), broken) { (server, client) =>
      val e = intercept[IllegalStateException](client.await(client.get(server.url).stream))
      assertEquals(e.getMessage, "begun")
      assert(client.await(Async.attempt(begun.exists(_.isCompleted))))
    }
  }

  /** Makes a call whose decoder cancels it, and then is `after`. Returns what was reported. */
  private def cancelledWithin(after: ByteStream => ByteStream, isStreamed: Boolean): List[String] = {
    @volatile var call: Async[Any] = null
    @volatile var isAsked          = false
    val cancelling                 = decoding { content =>
      call.cancel()
      isAsked = true
      after(content)
    }
    val reported = new ConcurrentLinkedQueue[String]
    val before   = EventLoop.onFailure
    EventLoop.onFailure = (text, e) => { reported.add(s"$text: $e"); () }
    try
      scripted((peer, _) => peer.send(coded), cancelling) { (server, client) =>
        client.await(Async.attempt {
          call = if (isStreamed) client.get(server.url).stream else client.get(server.url).text
        })
        eventually(isAsked)
        eventually(client.statistics.head.inFlight == 0, client.statistics)
        assertEquals(client.await(client.get(server.url).undecoded.text), "ok")
      }
    finally EventLoop.onFailure = before
    reported.toArray.toList.map(_.toString)
  }

  test("one that cancels its own call and throws leaves nothing behind") {
    for (isStreamed <- List(true, false))
      assertEquals(cancelledWithin(_ => throw new IllegalStateException("late"), isStreamed), Nil)
  }

  test("one that cancels its own call and returns its stream has that cancelled") {
    for (isStreamed <- List(true, false)) {
      @volatile var cancelled = 0
      val stream              = new ByteStream {
        def next(): Async[Option[Array[Byte]]] = new AsyncPromise[Option[Array[Byte]]]
        def cancel(): Unit                     = cancelled += 1
      }
      assertEquals(cancelledWithin(_ => stream, isStreamed), Nil)
      eventually(cancelled == 1, s"$isStreamed: $cancelled")
    }
  }

  test("one that gives null instead of a decoder fails the call, and not the host") {
    val nothing = strict.copy(
      loops = 1,
      decoding = Some(new ContentDecoding {
        def accepts: String                                                 = "x"
        def decode(coding: String, content: ByteStream): Option[ByteStream] = null
      })
    )
    scripted((peer, _) => peer.send(coded), nothing) { (server, client) =>
      val calls = List(() => client.get(server.url).stream, () => client.get(server.url).text)
      for (call <- calls) {
        val e = intercept[NullPointerException](client.await(call()))
        assertEquals(e.getMessage, "the decoder of x has returned null")
      }
      assertEquals(client.statistics.head.failures, 0L)
    }
  }

  test(
    "what its cancel throws when the connection is lost is reported, and the content fails with the loss"
  ) {
    val broken = decoding(content =>
      new ByteStream {
        def next(): Async[Option[Array[Byte]]] = content.next()
        def cancel(): Unit                     = throw new IllegalStateException("not now")
      }
    )
    val begun    = coded.replace("Length: 2", "Length: 1000000")
    val reported = new ConcurrentLinkedQueue[String]
    val before   = EventLoop.onFailure
    EventLoop.onFailure = (text, e) => { reported.add(s"$text: ${e.getMessage}"); () }
    try
      scripted((peer, _) => { peer.send(begun); peer.later(50)(peer.reset()) }, broken) { (server, client) =>
        val body = client.await(client.get(server.url).stream.map(_.body))
        val _    = intercept[ClientError.ConnectionLost] {
          client.await {
            def rest(): Async[Unit] = body.next().flatMap(piece => if (piece.isEmpty) Async.unit else rest())
            rest()
          }
        }
        eventually(!reported.isEmpty)
        assertEquals(reported.peek, "cancelling the decoder of a response failed: not now")
      }
    finally EventLoop.onFailure = before
  }

  test("one whose cancel throws does not keep the coded content from being given up") {
    val broken = decoding(content =>
      new ByteStream {
        def next(): Async[Option[Array[Byte]]] = content.next()
        def cancel(): Unit                     = throw new IllegalStateException("not now")
      }
    )
    val begun = coded.replace("Length: 2", "Length: 1000000")
    scripted((peer, _) => peer.send(begun), broken) { (server, client) =>
      val body = client.await(client.get(server.url).stream.map(_.body))
      val e    = intercept[IllegalStateException](client.await(Async.attempt(body.cancel())))
      assertEquals(e.getMessage, "not now")
      eventually(client.statistics.head.open == 0, client.statistics)
    }
  }
}
