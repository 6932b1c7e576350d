package needletail.gateway.host

import java.io.IOException

import scala.concurrent.duration._
import scala.util.{Failure, Success}

import needletail.async.{Async, Loop, Semaphore}
import needletail.gateway.host.backend.{Backend, ByteText, MountCounts}
import needletail.gateway.host.incoming.{Mount, ProgramRequest, ScriptFinder, ScriptPath}
import needletail.gateway.host.upstream.{Endpoint, EndpointQueue}
import needletail.http.Request
import needletail.http.message.{HttpError, Status}

/** Forwards requests to servers that speak FastCGI or SCGI. */
private[host] abstract class UpstreamHost(mount: Mount, upstream: Upstream, up: UpstreamConfig, kind: String)
    extends ProgramRoutes(
      mount,
      up.host,
      kind,
      new Semaphore(
        UpstreamHost.each(upstream, up) * math.max(1, upstream.addresses.length),
        up.queue,
        up.queueTime
      )
    ) {
  private[host] val endpoints: Vector[Endpoint] =
    upstream.addresses.zipWithIndex.map { case (address, i) =>
      new Endpoint(address, i, up.multiplex, UpstreamHost.each(upstream, up), more => slots.grow(more))
    }.toVector

  private val queue = new EndpointQueue(endpoints, e => upstream.isReady(e.index), upstream.isOurs)

  private val finder =
    up.root.map(root => new ScriptFinder(mount, root, mustExecute = false, up.extension, up.index))

  protected def processes: Option[(Int, Int)] = upstream.processes

  /**
   * Sends everything but the content of a request to that server; `fresh`: not on a connection that was used before.
   * Fails with an IOException if it takes more than `connectNanos` to connect.
   */
  protected def begin(
      endpoint: Endpoint,
      fresh: Boolean,
      asked: ProgramRequest,
      connectNanos: Long
  ): Async[Backend]

  protected def nameOf(request: Request, path: ScriptPath): String = s"${request.method.name} ${request.path}"

  protected def find(request: Request, segments: List[String]): Async[Either[HttpError, ScriptPath]] =
    finder match {
      case Some(finder) => system(finder.find(segments))
      case None         =>
        val info = ByteText.of(segments.map("/" + _).mkString)
        val root = up.front.map(file => ByteText.of(file.substring(0, math.max(0, file.lastIndexOf('/')))))
        Async.value(
          Right(ScriptPath(ByteText.of(mount.name), info, up.front.map(ByteText.of).orNull, root.orNull))
        )
    }

  protected def run(conversation: Conversation, since: Long): Async[Conversation.Answer] = {
    val asked     = conversation.request
    val mayRepeat = asked.request.method.isSafe && asked.content.stream == null
    val deliver   = new Delivery(asked)
    var begun     = false
    def over()    =
      try deliver.end() // first: the one that this admits is to find those that wait for a server
      finally slots.leave()
    Async.unit
      .flatMap(_ => deliver.begin(fresh = false, queueUntil = since + up.queueTime.toNanos))
      .transform {
        case Success(first) =>
          begun = true
          val backend = if (mayRepeat) new Repeatable(first, () => repeat(deliver)) else first
          conversation.begin(backend, deliver.tooLong) { complete =>
            if (complete) deliver.worked()
            over()
          }
        case Failure(EndpointQueue.Busy) => refuse(MountCounts.QueueTime)
        case Failure(e)                  => Async.fail(failure(asked.what, e))
      }
      .andFinally(if (!begun) over())
  }

  private def repeat(deliver: Delivery): Async[Backend] = {
    deliver.avoid()
    deliver.begin(fresh = true, queueUntil = Loop.nanoTime() + up.queueTime.toNanos).recoverWith {
      case EndpointQueue.Busy => Async.fail(UpstreamHost.unavailable)
    }
  }

  private def failure(what: String, e: Throwable): Throwable = e match {
    case e: IOException =>
      config.log.warn(s"$what: ${e.getMessage}")
      Conversation.badGateway
    case e => e
  }

  /** Delivers one request to one of the servers. */
  private final class Delivery(asked: ProgramRequest) {
    private var endpoint: Endpoint = null // the address that has the request
    private var process            = 0L   // which one serves there
    private val ticket             = queue.ticket()

    def end(): Unit = if (endpoint != null) {
      val place = endpoint
      endpoint = null
      queue.leave(place)
    }

    /** The server gave no response: others are tried first for a moment. */
    def avoid(): Unit = if (endpoint != null) endpoint.downUntil = Loop.nanoTime() + UpstreamHost.AvoidNanos

    /** The server has responded. */
    def worked(): Unit = if (endpoint != null) upstream.worked(endpoint.index)

    /** There was no response in time: a process of [[Workers]] is restarted. */
    val tooLong: () => Unit = () => if (endpoint != null) upstream.stuck(endpoint.index, process)

    /**
     * Sends it to the reachable server with the fewest requests, and waits until `queueUntil` while all of them have as
     * many as they accept. Fails with an IOException if none can be reached, and with `Busy` if that lasts longer.
     */
    def begin(fresh: Boolean, queueUntil: Long): Async[Backend] = {
      end()
      if (!queue.isEmpty || queue.isBusy) waitFor(fresh, queueUntil)
      else attempt(fresh, order, null, connectUntil, queueUntil)
    }

    /** There are as many places as all servers have together, so one of them is away. */
    private def waitFor(fresh: Boolean, queueUntil: Long): Async[Backend] =
      queue.enter(ticket, queueUntil - Loop.nanoTime()).flatMap { place =>
        if (place == null) attempt(fresh, order, null, connectUntil, queueUntil)
        else send(fresh, place, order.filterNot(_ eq place), connectUntil, queueUntil)
      }

    private def connectUntil: Long = Loop.nanoTime() + up.connectTimeout.toNanos

    private def order: List[Endpoint] =
      EndpointQueue.inOrder(endpoints.filter(e => upstream.isReady(e.index) && !e.isFull))

    private def attempt(
        fresh: Boolean,
        left: List[Endpoint],
        last: IOException,
        until: Long,
        queueUntil: Long
    ): Async[Backend] = {
      val time = until - Loop.nanoTime()
      end()
      left match {
        case next :: more if (time > 0 || last == null) && !next.tryEnter() => // another loop was first
          if (more.forall(_.isDown)) waitFor(fresh, queueUntil)
          else attempt(fresh, more, last, until, queueUntil)
        case next :: more if time > 0 || last == null => send(fresh, next, more, until, queueUntil)
        case Nil if endpoints.exists(e => upstream.isReady(e.index) && e.isFull && !e.isDown) =>
          waitFor(fresh, queueUntil)
        case Nil if upstream.isOurs && time > 0 =>
          Async.sleep(UpstreamHost.Again).flatMap(_ => attempt(fresh, order, last, until, queueUntil))
        case _ => Async.fail(if (last != null) last else new IOException("no server is available"))
      }
    }

    /** Sends it to `next`, at which it has a place, and to one of `more` if that cannot be reached. */
    private def send(
        fresh: Boolean,
        next: Endpoint,
        more: List[Endpoint],
        until: Long,
        queueUntil: Long
    ): Async[Backend] = {
      endpoint = next
      process = upstream.process(next.index)
      // a part of the time, so that the others are tried too if this one does not answer
      val time = math.max(1, (until - Loop.nanoTime()) / (more.length + 1))
      UpstreamHost.this.begin(next, fresh, asked, time).transform {
        case Success(backend) =>
          next.downUntil = Loop.nanoTime()
          Async.value(backend)
        case Failure(e: IOException) =>
          next.downUntil = Loop.nanoTime() + UpstreamHost.DownNanos
          attempt(fresh, more, e, until, queueUntil)
        case Failure(e) => Async.fail(e)
      }
    }
  }
}

private object UpstreamHost {
  private final val DownNanos  = 1000L * 1000 * 1000
  private final val AvoidNanos = 200L * 1000 * 1000
  private val Again            = 20.millis

  private val unavailable = HttpError(Status.ServiceUnavailable, "all servers are busy")

  /** Maximum of connections to one address. */
  private def each(upstream: Upstream, up: UpstreamConfig): Int =
    if (up.connections > 0) up.connections else if (upstream.isOurs) 1 else 32
}
