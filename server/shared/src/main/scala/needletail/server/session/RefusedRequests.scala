package needletail.server.session

import needletail.http.{ConnectionInfo, Refusal, Request, RequestView, Response}
import needletail.http.message.{HttpError, Status}
import needletail.server.exchange.{BodyReader, InputWindow, RequestRunner, ServerExchange}
import needletail.server.overload.RouteState

/**
 * The requests of one HTTP/1.1 connection that are not served. Each gets its response after the replies before it,
 * which is the connection's last, and nothing after the request is read. The session must take a turn to write it.
 */
private[server] final class RefusedRequests(
    owner: ServerExchange.Owner,
    runner: RequestRunner,
    input: InputWindow,
    reader: RequestReader,
    queue: ReplyQueue
) {
  private val context = runner.context

  def add(error: HttpError, isHead: Boolean): Unit = add(Response.of(error), isHead, null)

  private def add(response: Response, isHead: Boolean, request: Request): Unit = {
    reader.stop()
    queue.add(ServerExchange.refusal(owner, runner, request, response, isHead))
  }

  /**
   * After `readHead` has found no head to serve: refuses one that is malformed, or for which there is no memory. While
   * replies are due, the latter waits for them instead. Returns whether a request was refused.
   */
  def addUnserved(): Boolean =
    if (reader.failed != null) {
      context.reportMalformed(reader.peer, input.bytes, input.position, input.limit)
      add(reader.failed.error, reader.failed.view.method.isHead)
      true
    } else {
      val unheld = reader.takeUnheld()
      unheld != null && {
        val isRefused = queue.isEmpty
        if (isRefused) addForMemory(unheld.view.method.isHead) else reader.headWaits(unheld.view)
        context.giveParser(unheld)
        isRefused
      }
    }

  /** A request whose content would be too large. The access log has its head, which may be reused afterwards. */
  def addLarge(head: RequestView, info: ConnectionInfo): Unit = {
    val error = HttpError(Status.ContentTooLarge, s"the body is larger than ${context.maxBody} bytes")
    val own   = head.copied
    add(
      Response.of(error),
      head.method.isHead,
      new Request(own, own.generation, context.noBody, info)
    )
  }

  /** A request for which there is no memory. */
  def addForMemory(isHead: Boolean): Unit = {
    add(context.memoryShort, isHead, null)
    countForMemory(runner.admission.route)
  }

  /** Counts a request whose content was refused for want of memory. */
  def countForMemory(body: BodyReader): Unit = {
    val x = queue.ofBody(body)
    countForMemory(if (x == null) runner.admission.route else x.route)
  }

  private def countForMemory(route: RouteState): Unit = route.refused(Refusal.Memory) += 1
}
