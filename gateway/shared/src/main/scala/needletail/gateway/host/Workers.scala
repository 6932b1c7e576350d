package needletail.gateway.host

import java.io.{File, IOException}
import java.nio.file.Files
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.concurrent.duration._
import scala.util.Success

import needletail.async.{Async, Blocking, BlockingConfig, Setting, Survivable}
import needletail.gateway.host.backend.{ByteText, StandardErrorLog}
import needletail.gateway.host.process.{
  ExitHook,
  Launch,
  Listening,
  Program,
  ProgramStarter,
  Spawner,
  StartedProgram
}
import needletail.io.{Address, EventLoops}
import needletail.server.operations.Log

/**
 * Processes that serve FastCGI or SCGI, and how they are supervised.
 *
 * @param command the program's path and its arguments. `{socket}` in an argument is replaced by the path of the Unix
 *   socket that the process has to listen on, one for each process. If no argument has it, the process gets the
 *   listening socket as its descriptor 0, as FastCGI specifies; the JVM does not support that and throws
 *   IllegalArgumentException
 * @param count the number of processes; each gets one request at a time unless `UpstreamConfig.connections` is set
 * @param environment the complete environment of each
 * @param directory the working directory; empty: that of this program
 * @param restartDelay before a process that has ended is restarted; doubled each time up to `maxRestartDelay` until
 *   one has run for `steady`. A process that ends with status 0 after it has served a request is restarted at once
 * @param stopGrace time between SIGTERM and SIGKILL when they are stopped, in which they may still write to the log
 * @param log takes what they write, and reports when one ends
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
      "a list that begins with the absolute path of a program"
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
  private val log    = Log.guarded(config.log)
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

  /** How many times processes have been restarted. */
  def restarts: Int = all.map(_.restarted).sum

  /** The ids of the processes that run now. */
  def pids: Seq[Long] = all.map(_.pid).filter(_ > 0)

  private[host] override def processes: Option[(Int, Int)] = Some((pids.length, restarts))

  private[host] def isReady(index: Int): Boolean       = all(index).isReady
  private[host] def worked(index: Int): Unit           = all(index).hasWorked = true
  private[host] override def process(index: Int): Long = all(index).process
  private[host] def stuck(index: Int, process: Long): Unit =
    // at once, so that no other request is sent there
    if (all(index).isNoMoreReady(process)) onLoop(() => all(index).stop(process))

  private def begin(): Workers = {
    ExitHook.add(hook)
    onLoop(() => all.foreach(_.start()))
    this
  }

  /**
   * Ends all of them, by SIGKILL after `stopGrace`, and returns when they have ended. May be called more than once.
   * Not to be called on a loop.
   */
  def close(): Unit = {
    end()
    try { Runtime.getRuntime.removeShutdownHook(hook); () }
    catch { case _: IllegalStateException => () } // called by the shutdown itself
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
    catch { case _: java.util.concurrent.RejectedExecutionException => () } // they have ended

  /** Successive processes with one socket. Used on the loop unless stated otherwise. */
  private final class Worker(index: Int) {
    val socket: String = s"${folder.getPath}/$index"

    private val handsOver            = !config.command.tail.exists(_.contains(Workers.Socket))
    private val listening: Listening = if (handsOver) Spawner.listen(socket) else null

    @volatile private var program: Program = null
    @volatile var restarted: Int           = 0
    private var delay                      = config.restartDelay
    private var isStarting                 = false
    private var isDown                     = false

    /** The number of the process that has been started last. */
    @volatile var process = 0L

    /** The number of the process that has been started, and not been told to end; 0: none. */
    private val ready = new AtomicLong

    /** From any thread. */
    def isReady: Boolean = ready.get != 0

    /** From any thread. Whether it was that process which was ready. */
    def isNoMoreReady(process: Long): Boolean = process != 0 && ready.compareAndSet(process, 0)

    /** Whether it has served a request. */
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
          ByteText.of(config.command.head),
          config.command.tail.map(word => ByteText.of(word.replace(Workers.Socket, socket))),
          config.environment.toSeq.map { case (name, value) => ByteText.of(name) -> ByteText.of(value) },
          ByteText.of(config.directory),
          listening
        )
        isStarting = true
        if (!handsOver) new File(socket).delete()
        ProgramStarter.start(launch, starts, loop) { result =>
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
      val errors = new StandardErrorLog(name, log, isLasting = true)
      val fresh  =
        try started.attach(loop, config.stopGrace.toNanos, errors)
        catch {
          case Survivable(e) => // the loop can watch no more
            log.warn(s"$name: a process could not be watched: ${e.getMessage}")
            null
        }
      if (fresh == null) again(0, isDone = false) else watch(fresh, errors)
    }

    private def watch(fresh: Program, errors: StandardErrorLog): Unit = {
      val began = System.nanoTime()
      program = fresh
      hasWorked = false
      process += 1
      ready.set(process)
      fresh.endInput()
      val heard = listen(fresh, errors)
      fresh.onEnd { status =>
        program = null
        ready.set(0)
        errors.end()
        // PHP's processes end by themselves after a number of requests
        val isDone = hasWorked && status == 0
        if (!closing && !isDone) log.warn(s"$name: process ${fresh.pid} has ended with status $status")
        heard.onComplete(_ => errors.end())        // what was still in its output
        if (closing) heard.onComplete(_ => gone()) // the loop ends with the last of them
        else again(System.nanoTime() - began, isDone)
      }
      if (closing) fresh.terminate()
    }

    /** Its standard output is logged, as it has no other use here. Completes at its end. */
    private def listen(from: Program, lines: StandardErrorLog): Async[Unit] = from.output.next().transform {
      case Success(Some(piece)) =>
        lines(piece)
        listen(from, lines)
      case _ => Async.unit
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

    /** Ends that process, unless another one has taken its place. */
    def stop(process: Long): Unit = if (program != null && process == this.process) program.terminate()

    /** Ends it permanently. */
    def end(): Unit = {
      val now = program
      if (now != null) now.terminate() else if (!isStarting) gone()
    }

    private def gone(): Unit = if (!isDown) {
      isDown = true
      down.countDown()
    }

    /** When the socket is not used any more. */
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
   * Starts the processes; those that fail to start are retried.
   *
   * @throws java.io.IOException if their sockets cannot be created
   */
  def apply(config: WorkersConfig): Workers = {
    if (!Spawner.handsOverSockets && !config.command.exists(_.contains(Socket)))
      throw new IllegalArgumentException(
        s"on the JVM one of the arguments must contain $Socket, which is replaced by the path of the socket"
      )
    new Workers(config).begin()
  }

  /**
   * A directory that no other user can enter, since any process that can connect to a FastCGI socket can execute any
   * file.
   */
  private def privateDirectory(): File = {
    val folder = Files.createTempDirectory("needletail").toFile
    folder.setReadable(false, false)
    folder.setWritable(false, false)
    folder.setExecutable(false, false)
    if (
      !folder.setReadable(true, true) || !folder.setWritable(true, true) || !folder.setExecutable(true, true)
    )
      throw new IOException(s"cannot restrict $folder to the current user")
    folder
  }
}
