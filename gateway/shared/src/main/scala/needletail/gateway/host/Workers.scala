package needletail.gateway.host

import java.io.{File, IOException}
import java.nio.file.Files
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.concurrent.duration._
import scala.util.Success

import needletail.async.{Blocking, BlockingConfig, Setting}
import needletail.io.{Address, EventLoops}
import needletail.server.Log

/**
 * Processes that serve FastCGI or SCGI, and how they are looked after.
 *
 * @param command the program's path and its arguments. `{socket}` in an argument stands for the Unix socket that the
 *   process is to listen at, each at its own; where no argument has it, the process is given that socket, listening, as
 *   its descriptor 0, which is FastCGI's own way; not on the JVM, where it throws IllegalArgumentException
 * @param count how many; each is given one request at a time unless `UpstreamConfig.connections` says otherwise
 * @param environment of each, and nothing else
 * @param directory to run in; empty: that of this program
 * @param restartDelay before a process that has ended is started again; doubled each time up to `maxRestartDelay` while
 *   it does not stay up for `steady`. One that ends with status 0 after it has answered a request is started again at
 *   once
 * @param stopGrace from SIGTERM to SIGKILL when they are stopped
 * @param log told what they write, and when one ends
 */
final case class WorkersConfig(
    command: Seq[String],
    count: Int = 2,
    environment: Map[String, String] = Map("PATH" -> "/usr/local/bin:/usr/bin:/bin"),
    directory: String = "",
    restartDelay: FiniteDuration = 100.millis,
    maxRestartDelay: FiniteDuration = 30.seconds,
    steady: FiniteDuration = 10.seconds,
    stopGrace: FiniteDuration = 5.seconds,
    log: Log = Log.standardError
) {
  private def check(): Unit = {
    val is = Setting("WorkersConfig")
    is.check(
      "command",
      command,
      command.headOption.exists(_.startsWith("/")),
      "begun with the whole path of a program"
    )
    is.positive("count", count)
    is.positive("restartDelay", restartDelay)
    is.positive("maxRestartDelay", maxRestartDelay)
    is.check(
      "maxRestartDelay",
      maxRestartDelay,
      maxRestartDelay >= restartDelay,
      s"at least restartDelay ($restartDelay)"
    )
    is.notNegative("steady", steady)
    is.notNegative("stopGrace", stopGrace)
  }
  check()
}

/**
 * Processes that are started, restarted when they end, and ended with this program or by `close`. To be given to
 * `fastcgi` or `scgi`.
 *
 * {{{
 * val php = Workers(WorkersConfig(List("/usr/bin/php-cgi", "-b", "{socket}"), count = 4))
 * val routes = fastcgi("/app", php, UpstreamConfig(root = Some("/srv/www"), extension = ".php", index = "index.php"))
 * }}}
 */
final class Workers private (config: WorkersConfig) extends Upstream with AutoCloseable {
  private val log    = config.log
  private val name   = config.command.head
  private val folder = Workers.privateDirectory()
  private val all    = Vector.tabulate(config.count)(i => new Worker(i))
  private val down   = new CountDownLatch(config.count)
  private val loops  = new EventLoops(1, "needletail-workers", daemon = true)
  private val loop   = loops(0)
  private val starts = new Blocking(BlockingConfig(threads = 2, queue = 1024, virtual = false))

  @volatile private var closing = false
  private val hook              = new Thread(() => end(), "needletail-workers-end")

  private[host] val addresses: Seq[Address] = all.map(worker => Address.Unix(worker.socket))
  private[host] def isOurs: Boolean         = true

  /** How many times processes have been started anew. */
  def restarts: Int = all.map(_.restarted).sum

  /** The processes that run now. */
  def pids: Seq[Long] = all.map(_.pid).filter(_ > 0)

  private[host] override def processes: Option[(Int, Int)] = Some((pids.length, restarts))

  private[host] def isReady(index: Int): Boolean = all(index).isReady
  private[host] def worked(index: Int): Unit     = all(index).hasWorked = true
  private[host] def stuck(index: Int): Unit      = {
    all(index).isReady = false // at once, so that no other request gets there
    onLoop(() => all(index).stop())
  }

  private def begin(): Workers = {
    Spawner.atExit(hook)
    onLoop(() => all.foreach(_.start()))
    this
  }

  /** Ends all of them, by force after `stopGrace`, and returns when they are gone. May be repeated. Not on a loop. */
  def close(): Unit = {
    end()
    try { Runtime.getRuntime.removeShutdownHook(hook); () }
    catch { case _: IllegalStateException => () } // it is what calls us
  }

  private def end(): Unit = synchronized {
    if (!closing) {
      closing = true
      onLoop(() => all.foreach(_.end()))
      if (!down.await(config.stopGrace.toMillis + 2000, TimeUnit.MILLISECONDS))
        log.warn(s"$name: not all processes have ended")
      loops.stop()
      all.foreach(_.forget())
      folder.delete()
      ()
    }
  }

  private def onLoop(task: Runnable): Unit =
    try loop.execute(task)
    catch { case _: java.util.concurrent.RejectedExecutionException => () } // they are gone

  /** One process after another, at one socket; on the loop but for what is said. */
  private final class Worker(index: Int) {
    val socket: String = s"${folder.getPath}/$index"

    private val handsOver            = !config.command.tail.exists(_.contains(Workers.Socket))
    private val listening: Listening = if (handsOver) Spawner.listen(socket) else null

    @volatile private var program: Program = null
    @volatile var restarted: Int           = 0
    private var delay                      = config.restartDelay
    private var isStarting                 = false
    private var isDown                     = false

    /** It has been started, and not been told to end. */
    @volatile var isReady = false

    /** It has answered a request. */
    @volatile var hasWorked = false

    /** From any thread. */
    def pid: Long = {
      val now = program
      if (now == null) 0 else now.pid
    }

    def start(): Unit =
      if (closing) gone()
      else {
        val launch = Launch(
          OctetText.of(config.command.head),
          config.command.tail.map(word => OctetText.of(word.replace(Workers.Socket, socket))),
          config.environment.toSeq.map { case (name, value) => OctetText.of(name) -> OctetText.of(value) },
          OctetText.of(config.directory),
          listening
        )
        isStarting = true
        if (!handsOver) new File(socket).delete()
        Launching.start(launch, starts, loop) { result =>
          isStarting = false
          result match {
            case Right(started) => run(started)
            case Left(e)        =>
              log.warn(s"a process could not be started: ${e.getMessage}")
              again(0, isDone = false)
          }
        }
      }

    private def run(started: StartedProgram): Unit = {
      val began  = System.nanoTime()
      val errors = new ErrorLines(name, log, isLasting = true)
      val fresh  = started.attach(loop, config.stopGrace.toNanos, errors)
      program = fresh
      isReady = true
      hasWorked = false
      fresh.endInput()
      listen(fresh, errors)
      fresh.onEnd { status =>
        program = null
        isReady = false
        errors.end()
        // PHP's end by themselves after so many requests
        val isDone = hasWorked && status == 0
        if (!closing && !isDone) log.warn(s"$name: process ${fresh.pid} has ended with status $status")
        again(System.nanoTime() - began, isDone)
      }
      if (closing) fresh.stop()
    }

    /** What it writes to standard output is for the log, as it has no other meaning here. */
    private def listen(from: Program, lines: ErrorLines): Unit = from.output.next().onComplete {
      case Success(Some(piece)) =>
        lines(piece)
        listen(from, lines)
      case _ => ()
    }

    private def again(livedNanos: Long, isDone: Boolean): Unit =
      if (closing) gone()
      else {
        if (isDone || livedNanos > config.steady.toNanos) delay = config.restartDelay
        restarted += 1
        if (isDone) start()
        else {
          loop.schedule(delay.toNanos, () => if (!closing) start())
          delay = (delay * 2).min(config.maxRestartDelay)
        }
      }

    def stop(): Unit = if (program != null) program.stop()

    /** For good. */
    def end(): Unit = {
      val now = program
      if (now != null) now.stop() else if (!isStarting) gone()
    }

    private def gone(): Unit = if (!isDown) {
      isDown = true
      down.countDown()
    }

    /** When nobody uses the socket any more. */
    def forget(): Unit = {
      if (listening != null) listening.close()
      new File(socket).delete()
      ()
    }
  }
}

object Workers {
  private final val Socket = "{socket}"

  /**
   * Starts them; those that fail to start are tried again.
   *
   * @throws java.io.IOException when there can be no sockets for them
   */
  def apply(config: WorkersConfig): Workers = {
    if (!Spawner.handsOverSockets && !config.command.exists(_.contains(Socket)))
      throw new IllegalArgumentException(
        s"on the JVM a process has to be told its socket: one of the arguments must contain $Socket"
      )
    new Workers(config).begin()
  }

  /** One that nobody else can enter, since who can reach a FastCGI socket can have any file executed. */
  private def privateDirectory(): File = {
    val folder = Files.createTempDirectory("needletail").toFile
    folder.setReadable(false, false)
    folder.setWritable(false, false)
    folder.setExecutable(false, false)
    if (
      !folder.setReadable(true, true) || !folder.setWritable(true, true) || !folder.setExecutable(true, true)
    )
      throw new IOException(s"cannot keep $folder to this user")
    folder
  }
}
