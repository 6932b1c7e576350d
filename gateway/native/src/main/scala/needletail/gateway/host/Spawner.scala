package needletail.gateway.host

import java.io.IOException
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.scalanative.unsafe.*

import needletail.io.EventLoop

/** See Platform.scala. */
private[host] object Spawner {
  val handsOverSockets: Boolean = true

  /** Of needletail_host_kind: somebody is writing to the file. */
  private final val Busy = 5

  def start(launch: Launch): StartedProgram = {
    val arguments   = launch.program +: launch.arguments
    val environment = launch.environment.map { case (name, value) => s"$name=$value" }
    val started     = new Array[Int](5)
    def tried()     = HostKernel.start(
      flat(arguments).at(0),
      arguments.length,
      flat(environment).at(0),
      environment.length,
      flat(List(launch.directory)).at(0),
      if (launch.listening == null) -1 else launch.listening.fd,
      started.at(0)
    )
    var result = tried()
    var tries  = 0
    // for a moment it is when it has just been put there, by us or by a program that is being started
    while (result < 0 && HostKernel.kind(-result) == Busy && tries < 5) {
      new CountDownLatch(1).await(10, TimeUnit.MILLISECONDS)
      tries += 1
      result = tried()
    }
    if (result < 0)
      throw new LaunchFailed(
        if (HostKernel.kind(-result) == Busy) LaunchFailed.Other else HostKernel.kind(-result),
        s"${OctetText.text(launch.program)}: ${fromCString(HostKernel.message(-result))}"
      )
    new StartedProgram(started)
  }

  /** Scala Native's runtime would end the process by itself on SIGTERM and SIGINT from the first hook on. */
  def atExit(hook: Thread): Unit = synchronized {
    HostKernel.signals(0)
    try Runtime.getRuntime.addShutdownHook(hook)
    finally HostKernel.signals(1)
  }

  def listen(path: String): Listening = {
    val fd = HostKernel.listen(flat(List(OctetText.of(path))).at(0))
    if (fd < 0) throw new IOException(s"cannot listen on $path: ${fromCString(HostKernel.message(-fd))}")
    new Listening(fd)
  }

  /** The octets of texts one behind the other, each with a NUL; never empty, so that there is one to point at. */
  private def flat(texts: Seq[String]): Array[Byte] = {
    val all = new Array[Byte](texts.map(_.length + 1).sum + 1)
    var at  = 0
    texts.foreach { text =>
      var i = 0
      while (i < text.length) {
        // a NUL inside would end the text before its time
        if (text.charAt(i) == 0)
          throw new LaunchFailed(LaunchFailed.Other, "a NUL in what a program is given")
        all(at + i) = text.charAt(i).toByte
        i += 1
      }
      at += text.length + 1
    }
    all
  }
}

/** See Platform.scala. */
private[host] final class Listening(private[host] val fd: Int) {
  def close(): Unit = HostKernel.close(fd)
}

/** See Platform.scala. */
private[host] final class StartedProgram(numbers: Array[Int]) {
  private val pid = numbers(0)

  def attach(loop: EventLoop, killGraceNanos: Long, errors: Array[Byte] => Unit): Program =
    new NativeProgram(numbers, loop, killGraceNanos, errors)

  def kill(): Unit = StartedProgram.killAndReap(pid)

  def discard(): Unit = {
    kill()
    numbers.drop(1).foreach(fd => if (fd >= 0) HostKernel.close(fd))
  }
}

private[host] object StartedProgram {

  /** Waits for it: what was killed ends soon, unless a disk or a network holds it. */
  def killAndReap(pid: Int): Unit = {
    HostKernel.signal(pid, 1)
    val never = new CountDownLatch(1) // Thread.sleep would take descriptors
    var tries = 0
    while (HostKernel.reap(pid) < 0 && tries < 500) {
      never.await(1, TimeUnit.MILLISECONDS)
      tries += 1
    }
  }
}

/** The functions of needletail_gateway_host.c, which says what they promise. The one that waits tells the collector. */
@extern
@define("__SCALANATIVE_NEEDLETAIL_GATEWAY_HOST")
private[host] object HostKernel {
  @name("needletail_host_start") def start(
      arguments: Ptr[Byte],
      argumentCount: CInt,
      environment: Ptr[Byte],
      environmentCount: CInt,
      directory: Ptr[Byte],
      listening: CInt,
      started: Ptr[Int]
  ): CInt = extern
  @name("needletail_host_has_ended") def hasEnded(pid: CInt): CInt          = extern
  @name("needletail_host_reap") def reap(pid: CInt): CInt                   = extern
  @name("needletail_host_signal") def signal(group: CInt, kill: CInt): Unit = extern
  @name("needletail_host_close") def close(fd: CInt): Unit                  = extern
  @name("needletail_host_kind") def kind(errno: CInt): CInt                 = extern
  @name("needletail_host_message") def message(errno: CInt): CString        = extern
  @name("needletail_host_signals") def signals(restore: CInt): Unit         = extern
  @name("needletail_host_listen") def listen(path: Ptr[Byte]): CInt         = extern
}
