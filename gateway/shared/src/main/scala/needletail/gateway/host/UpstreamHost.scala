package needletail.gateway.host

import java.io.IOException

import scala.concurrent.duration._
import scala.util.{Failure, Success}

import needletail.async.{Async, Blocking, BlockingConfig}
import needletail.gateway.Scgi
import needletail.http._
import needletail.io.{Connector, EventLoop}

/** Hands requests on to servers that speak FastCGI or SCGI. */
private[host] abstract class UpstreamHost(mount: Mount, upstream: Upstream, up: UpstreamConfig)
    extends Hosting(mount, up.host) {
  private val each = if (up.connections > 0) up.connections else if (upstream.isOurs) 1 else 32

  private[host] val slots =
    new Slots(each * math.max(1, upstream.addresses.length), up.queue, up.queueTime)

  private[host] val endpoints: Vector[Endpoint] =
    upstream.addresses.zipWithIndex.map { case (address, i) =>
      new Endpoint(address, i, up, each, more => slots.grow(more))
    }.toVector

  private val files  = new Blocking(BlockingConfig(threads = 8, queue = 8192, virtual = false))
  private val spool  = new Spool(config, files)
  private val finder =
    up.root.map(root => new ScriptFinder(mount, root, mustExecute = false, up.extension, up.index))

  /** Sends all but the content of a request to that server. */
  protected def begin(
      endpoint: Endpoint,
      loop: EventLoop,
      fresh: Boolean,
      variables: Seq[(String, String)],
      content: Content,
      what: String
  ): Async[Backend]

  protected def ask(request: Request): Async[Conversation.Answer] = {
    val loop = this.loop
    mount.below(request) match {
      case Left(error)              => Async.fail(error)
      case Right(_) if slots.isFull => refuse(Refusal.response) // before anything of the content is read
      case Right(segments)          =>
        find(segments).flatMap {
          case Left(error) => Async.fail(error)
          case Right(path) => spool(request.body).flatMap(content => enter(request, path, content, loop))
        }
    }
  }

  private def find(segments: List[String]): Async[Either[HttpError, ScriptPath]] = finder match {
    case Some(finder) => files(finder.find(segments))
    case None         =>
      val info = OctetText.of(segments.map("/" + _).mkString)
      val root = up.front.map(file => OctetText.of(file.substring(0, math.max(0, file.lastIndexOf('/')))))
      Async.value(
        Right(ScriptPath(OctetText.of(mount.name), info, up.front.map(OctetText.of).orNull, root.orNull))
      )
  }

  private def enter(
      request: Request,
      path: ScriptPath,
      content: Content,
      loop: EventLoop
  ): Async[Conversation.Answer] = {
    val variables = CgiVariables.of(request, path, content.length, config)
    val isHead    = request.method eq Method.HEAD
    val mayRepeat = request.method.isSafe && content.stream == null
    val limit     = request.timeLimit
    val what      = s"${request.method.name} ${request.path}"
    slots.enter().flatMap {
      case false =>
        content.close()
        refuse(Refusal.response)
      case true =>
        val deliver = new Delivery(loop, variables, content, what)
        var begun   = false
        def over()  = {
          content.close()
          deliver.end()
          slots.leave()
        }
        deliver
          .begin(fresh = false)
          .transform {
            case Success(first) =>
              begun = true
              val backend = if (mayRepeat) new Repeatable(first, deliver) else first
              new Conversation(what, backend, content, isHead, limit, config, deliver.tooLong)(_ =>
                over()
              ).begin()
            case Failure(e) => Async.fail(failure(what, e))
          }
          .andFinally(if (!begun) over())
    }
  }

  private def failure(what: String, e: Throwable): Throwable = e match {
    case e: IOException =>
      config.log.warn(s"$what: ${e.getMessage}")
      Conversation.badGateway
    case e => e
  }

  /** The way of one request to one of the servers. */
  private final class Delivery(
      loop: EventLoop,
      variables: Seq[(String, String)],
      content: Content,
      what: String
  ) {
    private var endpoint: Endpoint = null // the one that has it

    def end(): Unit = if (endpoint != null) {
      endpoint.inFlight.decrementAndGet()
      endpoint = null
    }

    /** It was not answered in time: a process of ours would not be of use to anybody else. */
    val tooLong: () => Unit = () => if (endpoint != null) upstream.stuck(endpoint.index)

    /** To the server with the fewest requests that can be reached; fails with an IOException when none can. */
    def begin(fresh: Boolean): Async[Backend] =
      attempt(fresh, order, null, System.nanoTime() + up.connectTimeout.toNanos)

    private def order: List[Endpoint] =
      endpoints.filter(e => upstream.isReady(e.index)).sortBy(e => (e.isDown, e.inFlight.get)).toList

    private def attempt(
        fresh: Boolean,
        left: List[Endpoint],
        last: IOException,
        until: Long
    ): Async[Backend] = left match {
      case next :: more =>
        end()
        endpoint = next
        next.inFlight.incrementAndGet()
        UpstreamHost.this.begin(next, loop, fresh, variables, content, what).transform {
          case Success(backend) =>
            next.downUntil = System.nanoTime()
            Async.value(backend)
          case Failure(e: IOException) =>
            next.downUntil = System.nanoTime() + UpstreamHost.DownNanos
            attempt(fresh, more, e, until)
          case Failure(e) => Async.fail(e)
        }
      case Nil =>
        end()
        if (upstream.isOurs && until - System.nanoTime() > 0)
          Async.sleep(UpstreamHost.Again).flatMap(_ => attempt(fresh, order, last, until))
        else Async.fail(if (last != null) last else new IOException("there is no server for it"))
    }
  }

  /**
   * A request without content whose method is safe: one that a kept connection has swallowed is made again on a fresh
   * one, once, as the server may have closed that one before the request was there (RFC 9110 section 9.2.2).
   */
  private final class Repeatable(first: Backend, deliver: Delivery) extends Backend {
    private var present  = first
    private var inputEnd = false
    private var stopped  = false
    private var repeats  = 0

    def write(bytes: Array[Byte]): Async[Unit] = present.write(bytes)
    def endInput(): Unit                       = {
      inputEnd = true
      present.endInput()
    }
    def stop(): Unit = {
      stopped = true
      present.stop()
    }

    val output: ByteStream = new ByteStream {
      def next(): Async[Option[Array[Byte]]] = {
        val asked = present
        asked.output.next().transform {
          case Failure(_: PeerLost) if repeats == 0 && !stopped && asked.isUnused =>
            repeats += 1
            deliver.begin(fresh = true).flatMap { again =>
              present = again
              if (stopped) again.stop() else if (inputEnd) again.endInput()
              again.output.next()
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
  private final val DownNanos = 1000L * 1000 * 1000
  private val Again           = 20.millis
}

private[host] final class FastCgiHost(mount: Mount, upstream: Upstream, up: UpstreamConfig)
    extends UpstreamHost(mount, upstream, up) {
  protected def begin(
      endpoint: Endpoint,
      loop: EventLoop,
      fresh: Boolean,
      variables: Seq[(String, String)],
      content: Content,
      what: String
  ): Async[Backend] =
    endpoint.pool(loop).connection(fresh).map(_.begin(variables, new ErrorLines(what, config.log)))
}

private[host] final class ScgiHost(mount: Mount, upstream: Upstream, up: UpstreamConfig)
    extends UpstreamHost(mount, upstream, up) {
  protected def begin(
      endpoint: Endpoint,
      loop: EventLoop,
      fresh: Boolean,
      variables: Seq[(String, String)],
      content: Content,
      what: String
  ): Async[Backend] = {
    var made: ScgiExchange = null
    endpoint.open.incrementAndGet()
    Connector
      .connect(endpoint.address, loop, timeoutNanos = up.connectTimeout.toNanos) { connection =>
        made = new ScgiExchange(connection, () => { endpoint.open.decrementAndGet(); () })
        made
      }
      .map { connection =>
        val w = new ByteWriter(2048)
        Scgi.write(w, content.length, variables.filterNot(_._1 == "CONTENT_LENGTH"))
        connection.writeOwned(w.bytes, 0, w.length)
        made
      }
      .andFinally(if (made == null) { endpoint.open.decrementAndGet(); () })
  }
}
