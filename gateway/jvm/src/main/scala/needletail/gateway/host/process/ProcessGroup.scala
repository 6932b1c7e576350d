package needletail.gateway.host.process

import java.io.{File, IOException}

/** Process groups, which Java does not support: created and signalled by programs of the system. */
private[host] object ProcessGroup {

  /**
   * The program that makes another one the leader of a process group, as Java cannot. If there is none, a program's
   * descendants are found one by one.
   */
  val setsid: Option[String] =
    List("/usr/bin/setsid", "/bin/setsid").find(path => new File(path).canExecute)

  /**
   * Sends a signal to a process group by a shell's `kill`, as Java does not support groups. Blocks for a few
   * milliseconds.
   */
  def signal(process: Process, kill: Boolean): Unit =
    if (setsid.isEmpty) {
      process.descendants().forEach(p => { if (kill) p.destroyForcibly() else p.destroy(); () })
      if (kill) { process.destroyForcibly(); () }
      else process.destroy()
    } else
      try {
        val name  = if (kill) "KILL" else "TERM"
        val group = s"kill -$name -${process.pid} 2>/dev/null"
        // `setsid` may not have made the group yet; the id of a process that has ended may be in use again
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
