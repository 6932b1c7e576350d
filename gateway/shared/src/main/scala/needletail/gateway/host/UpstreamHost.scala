package needletail.gateway.host

import java.io.IOException

import scala.concurrent.duration._
import scala.util.{Failure, Success}

import needletail.async.{Async, Loop, Semaphore}
import needletail.gateway.host.backend.{Backend, ByteText, MountCounts}
import needletail.gateway.host.incoming.{Mount, ProgramRequest, ScriptFinder, ScriptPath}
import needletail.gateway.host.upstream.{Endpoint, PeerLost}
import needletail.http.{ByteStream, Request}
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

  protected def run(conversation: Conversation): Async[Conversation.Answer] = {
    val asked     = conversation.request
    val mayRepeat = asked.request.method.isSafe && asked.content.stream == null
    val deliver   = new Delivery(asked)
    var begun     = false
    def over()    = {
      deliver.end()
      slots.leave()
    }
    deliver
      .begin(fresh = false)
      .transform {
        case Success(first) =>
          begun = true
          val backend = if (mayRepeat) new Repeatable(first, deliver) else first
          conversation.begin(backend, deliver.tooLong) { complete =>
            if (complete) deliver.worked()
            over()
          }
        case Failure(UpstreamHost.Busy) => refuse(MountCounts.QueueTime)
        case Failure(e)                 => Async.fail(failure(asked.what, e))
      }
      .andFinally(if (!begun) over())
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

    def end(): Unit = if (endpoint != null) {
      endpoint.inFlight.decrementAndGet()
      endpoint = null
    }

    /** The server gave no response: others are tried first for a moment. */
    def avoid(): Unit = if (endpoint != null) endpoint.downUntil = Loop.nanoTime() + UpstreamHost.AvoidNanos

    /** The server has responded. */
    def worked(): Unit = if (endpoint != null) upstream.worked(endpoint.index)

    /** There was no response in time: a process of [[Workers]] is restarted. */
    val tooLong: () => Unit = () => if (endpoint != null) upstream.stuck(endpoint.index, process)

    /**
     * Sends it to the reachable server with the fewest requests, and waits while all of them have as many as they
     * accept. Fails with an IOException if none can be reached, and with `Busy` if that lasts longer than `queueTime`.
     */
    def begin(fresh: Boolean): Async[Backend] = begin(fresh, Loop.nanoTime() + up.queueTime.toNanos)

    private def begin(fresh: Boolean, queueUntil: Long): Async[Backend] = {
      end()
      val ready = endpoints.filter(e => upstream.isReady(e.index))
      val free  = ready.filterNot(_.isFull)
      // a process of ours that is down may be starting: it is tried
      val isAnyFree = if (upstream.isOurs) free.nonEmpty else free.exists(!_.isDown)
      if (!isAnyFree && ready.exists(e => e.isFull && !e.isDown)) waitFor(fresh, queueUntil)
      else {
        val until = Loop.nanoTime() + up.connectTimeout.toNanos
        attempt(fresh, order, null, until, queueUntil)
      }
    }

    /** There are as many places as all servers have together, so one of them is away. */
    private def waitFor(fresh: Boolean, queueUntil: Long): Async[Backend] =
      if (queueUntil - Loop.nanoTime() <= 0) Async.fail(UpstreamHost.Busy)
      else Async.sleep(UpstreamHost.Again).flatMap(_ => begin(fresh, queueUntil))

    private def order: List[Endpoint] =
      endpoints.filter(e => upstream.isReady(e.index) && !e.isFull).sortBy(e =>
        (e.isDown, e.inFlight.get)
      ).toList

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
        case next :: more if time > 0 || last == null =>
          endpoint = next
          process = upstream.process(next.index)
          // a part of it, so that the others are tried too if this one does not answer
          UpstreamHost.this.begin(next, fresh, asked, math.max(1, time / left.length)).transform {
            case Success(backend) =>
              next.downUntil = Loop.nanoTime()
              Async.value(backend)
            case Failure(e: IOException) =>
              next.downUntil = Loop.nanoTime() + UpstreamHost.DownNanos
              attempt(fresh, more, e, until, queueUntil)
            case Failure(e) => Async.fail(e)
          }
        case Nil if endpoints.exists(e => upstream.isReady(e.index) && e.isFull && !e.isDown) =>
          waitFor(fresh, queueUntil)
        case Nil if upstream.isOurs && time > 0 =>
          Async.sleep(UpstreamHost.Again).flatMap(_ => attempt(fresh, order, last, until, queueUntil))
        case _ => Async.fail(if (last != null) last else new IOException("no server is available"))
      }
    }
  }

  /**
   * A request without content whose method is safe: if the connection is lost before any of the response has arrived,
   * the request is repeated (RFC 9110 section 9.2.2), at most twice, on a new connection and to another server if
   * there is one. A server may have closed a kept connection before the request arrived, and processes may end by
   * themselves, as PHP's do after a number of requests.
   */
  private final class Repeatable(first: Backend, deliver: Delivery) extends Backend {
    private var present       = first
    private var unheardBefore = 0L // what the former ones were not heard, less what this one was by then
    private var repeating: Async[Backend] = null // the last repetition
    private var inputEnd                  = false
    private var stopped                   = false
    private var repeats                   = 0

    override def isHeard: Boolean              = present.isHeard
    def hasEnded: Boolean                      = present.hasEnded
    override def unheardNanos: Long            = unheardBefore + present.unheardNanos
    def write(bytes: Array[Byte]): Async[Unit] = present.write(bytes)
    def endInput(): Unit                       = {
      inputEnd = true
      present.endInput()
    }
    def stop(): Unit = {
      stopped = true
      if (repeating != null) repeating.cancel() // nobody would end what it begins
      present.stop()
    }

    val output: ByteStream = new ByteStream {
      def next(): Async[Option[Array[Byte]]] = {
        val asked = present
        asked.output.next().transform {
          case Failure(_: PeerLost) if repeats < UpstreamHost.MostRepeats && !stopped && asked.isUnused =>
            repeats += 1
            deliver.avoid()
            repeating = deliver.begin(fresh = true).recoverWith {
              case UpstreamHost.Busy => Async.fail(UpstreamHost.unavailable)
            }
            repeating.flatMap { again =>
              unheardBefore += asked.unheardNanos - again.unheardNanos
              present = again
              if (stopped) again.stop() else if (inputEnd) again.endInput()
              next()
            }
          case Success(piece) => Async.value(piece)
          case Failure(e)     => Async.fail(e)
        }
      }
      def cancel(): Unit = present.output.cancel()
    }
  }
}

private object UpstreamHost {
  private final val DownNanos   = 1000L * 1000 * 1000
  private final val AvoidNanos  = 200L * 1000 * 1000
  private final val MostRepeats = 2
  private val Again             = 20.millis

  /** All servers that can be reached have as many requests as they accept. */
  private object Busy extends RuntimeException("all servers are busy", null, false, false)
  private val unavailable = HttpError(Status.ServiceUnavailable, "all servers are busy")

  /** Maximum of connections to one address. */
  private def each(upstream: Upstream, up: UpstreamConfig): Int =
    if (up.connections > 0) up.connections else if (upstream.isOurs) 1 else 32
}
