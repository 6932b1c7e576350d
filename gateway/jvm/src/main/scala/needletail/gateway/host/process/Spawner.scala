package needletail.gateway.host.process

import java.io.{File, FileInputStream, IOException}

import needletail.gateway.host.backend.ByteText

/** See Program.scala. */
private[host] object Spawner {

  /** Java can give only pipes and files to a process that it starts. */
  val handsOverSockets: Boolean = false

  def start(launch: Launch): StartedProgram = {
    val program = ByteText.text(launch.program)
    checkProgram(program)
    val command = ProcessGroup.setsid.toList ++ (program :: launch.arguments.map(ByteText.text).toList)
    val builder = new ProcessBuilder(command*)
    if (launch.directory.nonEmpty) builder.directory(new File(ByteText.text(launch.directory)))
    val environment = builder.environment()
    environment.clear()
    launch.environment.foreach { case (name, value) => environment.put(name, ByteText.text(value)) }
    try new StartedProgram(builder.start())
    catch {
      case e: IOException              => throw new LaunchFailed(reasonOf(e), s"$program: ${e.getMessage}")
      case e: IllegalArgumentException =>
        throw new LaunchFailed(LaunchFailed.Other, s"$program: ${e.getMessage}")
    }
  }

  def listen(path: String): Listening =
    throw new UnsupportedOperationException(s"the JVM cannot pass a socket to a program, such as $path")

  /**
   * Checks the file first: `setsid` would report an error on standard error only, and would run a text file without an
   * interpreter line as a shell script.
   */
  private def checkProgram(program: String): Unit = {
    val file = new File(program)
    if (!file.exists) throw new LaunchFailed(LaunchFailed.NotThere, s"$program: no such file")
    if (!file.isFile || !file.canExecute)
      throw new LaunchFailed(LaunchFailed.Forbidden, s"$program: it is not executable")
    val begin    = firstBytes(file)
    val isScript = begin.length > 2 && begin(0) == '#' && begin(1) == '!'
    if (!isScript && begin.forall(b => (b >= ' ' && b < 127) || b == '\n'))
      throw new LaunchFailed(
        LaunchFailed.NoProgram,
        s"$program: neither a binary nor a script that names its interpreter"
      )
  }

  private def firstBytes(file: File): Array[Byte] =
    try {
      val in = new FileInputStream(file)
      try in.readNBytes(4)
      finally in.close()
    } catch {
      case _: IOException => Array[Byte](0, 0, 0, 0)
    } // executable and not readable: the system will report any error

  private def reasonOf(e: IOException): Int = {
    val text = String.valueOf(e.getMessage)
    // Java reports the error number in its message only
    if (text.contains("error=2,")) LaunchFailed.NotThere
    else if (text.contains("error=13,")) LaunchFailed.Forbidden
    else if (text.contains("error=8,")) LaunchFailed.NoProgram
    else if (List(11, 12, 23, 24).exists(n => text.contains(s"error=$n,"))) LaunchFailed.SystemFull
    else LaunchFailed.Other
  }
}
