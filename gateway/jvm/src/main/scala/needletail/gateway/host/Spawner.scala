package needletail.gateway.host

import java.io.{File, FileInputStream, IOException}

import needletail.io.EventLoop

/** See Platform.scala. */
private[host] object Spawner {

  /** Only pipes and files can be given to a process that Java starts. */
  val handsOverSockets: Boolean = false

  /**
   * The program that makes another one the leader of a process group, which Java cannot. Where there is none a program's
   * descendants are looked for one by one.
   */
  val setsid: Option[String] =
    List("/usr/bin/setsid", "/bin/setsid").find(path => new File(path).canExecute)

  def start(launch: Launch): StartedProgram = {
    val program = OctetText.text(launch.program)
    checkProgram(program)
    val command = setsid.toList ++ (program :: launch.arguments.map(OctetText.text).toList)
    val builder = new ProcessBuilder(command*)
    if (launch.directory.nonEmpty) builder.directory(new File(OctetText.text(launch.directory)))
    val environment = builder.environment()
    environment.clear()
    launch.environment.foreach { case (name, value) => environment.put(name, OctetText.text(value)) }
    try new StartedProgram(builder.start())
    catch {
      case e: IOException              => throw new LaunchFailed(reasonOf(e), s"$program: ${e.getMessage}")
      case e: IllegalArgumentException =>
        throw new LaunchFailed(LaunchFailed.Other, s"$program: ${e.getMessage}")
    }
  }

  def atExit(hook: Thread): Unit = Runtime.getRuntime.addShutdownHook(hook)

  def listen(path: String): Listening =
    throw new UnsupportedOperationException(s"on the JVM no program can be given a socket, as $path")

  /**
   * `setsid` would say only to standard error what is wrong, and run a text without a first line that names its
   * interpreter as a shell script.
   */
  private def checkProgram(program: String): Unit = {
    val file = new File(program)
    if (!file.exists) throw new LaunchFailed(LaunchFailed.NotThere, s"$program: no such file")
    if (!file.isFile || !file.canExecute)
      throw new LaunchFailed(LaunchFailed.Forbidden, s"$program: it may not be executed")
    val begin    = firstOctets(file)
    val isScript = begin.length > 2 && begin(0) == '#' && begin(1) == '!'
    if (!isScript && begin.forall(b => (b >= ' ' && b < 127) || b == '\n'))
      throw new LaunchFailed(
        LaunchFailed.NoProgram,
        s"$program: neither a binary nor a script that names its interpreter"
      )
  }

  private def firstOctets(file: File): Array[Byte] =
    try {
      val in = new FileInputStream(file)
      try in.readNBytes(4)
      finally in.close()
    } catch {
      case _: IOException => Array[Byte](0, 0, 0, 0)
    } // executable and not readable: the system will tell

  private def reasonOf(e: IOException): Int = {
    val text = String.valueOf(e.getMessage)
    // Java tells the number of the error in its message only
    if (text.contains("error=2,")) LaunchFailed.NotThere
    else if (text.contains("error=13,")) LaunchFailed.Forbidden
    else if (text.contains("error=8,")) LaunchFailed.NoProgram
    else if (List(11, 12, 23, 24).exists(n => text.contains(s"error=$n,"))) LaunchFailed.SystemFull
    else LaunchFailed.Other
  }

  /** Sends a signal to a process group by a shell's `kill`, as Java knows of no groups; blocks for a few ms. */
  def signal(process: Process, kill: Boolean): Unit =
    if (setsid.isEmpty) {
      process.descendants().forEach(p => { if (kill) p.destroyForcibly() else p.destroy(); () })
      if (kill) { process.destroyForcibly(); () }
      else process.destroy()
    } else
      try {
        val name  = if (kill) "KILL" else "TERM"
        val group = s"kill -$name -${process.pid} 2>/dev/null"
        // `setsid` may not have made the group yet; the number of a process that is gone may be another's by now
        val both =
          if (process.isAlive) s"$group || kill -$name ${process.pid} 2>/dev/null" else group
        val shell = new ProcessBuilder("/bin/sh", "-c", both)
        val sent  = shell
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start()
        sent.waitFor()
        ()
      } catch {
        case _: IOException => // no shell, or no descriptor left
          if (kill) { process.destroyForcibly(); () }
          else process.destroy()
      }
}

/** See Platform.scala; there is never one on the JVM. */
private[host] abstract class Listening {
  def close(): Unit
}

/** See Platform.scala. */
private[host] final class StartedProgram(process: Process) {
  def attach(loop: EventLoop, killGraceNanos: Long, errors: Array[Byte] => Unit): Program = {
    val program = new JvmProgram(process, loop, killGraceNanos, errors)
    Pump.add(program)
    program
  }

  def kill(): Unit = {
    Spawner.signal(process, kill = true)
    process.waitFor()
    ()
  }

  def discard(): Unit = {
    kill()
    process.getInputStream.close()
    process.getErrorStream.close()
    process.getOutputStream.close()
  }
}
