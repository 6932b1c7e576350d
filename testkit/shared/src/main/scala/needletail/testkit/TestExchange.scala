package needletail.testkit

import needletail.async.{Async, AsyncPromise, Survivable, Timer}
import needletail.http.{Around, ByteStream, Handler, MessageBody, Request, Response}

/**
 * A request of a test and the response to it, within the time limit of the route, as a server keeps it: it begins when
 * the route has matched, and anew with content that its handler has waited for. While that is waited for, no time of
 * the handler passes.
 */
private[testkit] final class TestExchange(
    handler: Handler,
    asked: Request,
    gate: TestGate,
    loop: ManualLoop
) {
  private var timer: Timer = null
  private var isReturned   = false // the handler has: before that nothing can be cancelled, as in a server
  private var isOver       = false
  private var reads        = 0     // of content that has not come yet

  private val request: Request = asked.asReceived(
    gate,
    if (asked.body.isFixed) asked.body
    else MessageBody.streamed(new Content, asked.body.length, origin = asked.body)
  )
  private val answer = new AsyncPromise[Response]

  gate.matched = () => limit()

  private val handled: Async[Response] = loop.within {
    val result = TestReply.ask(handler, request)
    result.onComplete { result =>
      end()
      answer.complete(result)
      ()
    }
    answer.onCancel(() => result.cancel())
    isReturned = true
    limit()
    result
  }

  /** Also the one that takes its place when the time has passed. */
  def response: Async[Response] = answer

  private def limit(): Unit =
    if (isReturned && !isOver && timer == null && reads == 0 && request.ownLimit > 0)
      timer = loop.schedule(math.max(0L, request.dueNanos - loop.nowNanos), () => expire())

  private def end(): Unit = {
    isOver = true
    stop()
  }

  private def stop(): Unit = if (timer != null) {
    timer.cancel()
    timer = null
  }

  private def expire(): Unit = {
    isOver = true
    answer.succeed(dressed(Around.tooSlow))
    handled.cancel()
  }

  private def dressed(response: Response): Response =
    try {
      val dressed = handler.dressed(request, request.dressed(response))
      if (dressed == null) throw new NullPointerException("a wrapper returned null")
      dressed
    } catch { case Survivable(e) => gate.failed(request, e) }

  /** The content, if it is a stream. */
  private final class Content extends ByteStream {
    private lazy val source = asked.body.stream

    def next(): Async[Option[Array[Byte]]] = {
      val piece = source.next()
      if (piece.isCompleted) piece else awaited(piece)
    }

    def cancel(): Unit = source.cancel()

    private def awaited(piece: Async[Option[Array[Byte]]]): Async[Option[Array[Byte]]] = {
      val since = loop.nowNanos
      reads += 1
      stop()
      piece.andFinally {
        reads -= 1
        if (request.ownLimit > 0) {
          val arrived = piece.poll.exists(_.isSuccess) // else the read was given up, or has failed
          request.dueNanos =
            if (arrived) loop.nowNanos + request.ownLimit else request.dueNanos + loop.nowNanos - since
        }
        limit()
      }
    }
  }
}
