package needletail.gateway.host.process

import java.io.IOException

/** A program was ended by a signal, so that its output may be incomplete. */
private[host] final class ProgramKilled(status: Int) extends IOException(ProgramKilled.message(status)) {
  override def fillInStackTrace(): Throwable = this
}

private[host] object ProgramKilled {

  /**
   * Whether an exit status says so: 128 plus the number of a signal. A shell's own status is the same if its last command
   * was ended by a signal, and on the JVM the two cannot be told apart, so a program that exits with such a number of its
   * own accord counts as well. SIGPIPE does not count: ordinary pipelines end with it, such as `yes | head`, which Bash
   * reports under `pipefail`.
   */
  def isSignal(status: Int): Boolean = status > 128 && status <= 128 + Most && status != 128 + Pipe

  private final val Pipe = 13
  private final val Most = 64 // Linux has as many

  private def message(status: Int): String = {
    val number = status - 128
    s"it was ended by signal $number${names.get(number).fold("")(name => s" ($name)")}"
  }

  /** Those with the same number on all systems. */
  private val names = Map(
    1  -> "SIGHUP",
    2  -> "SIGINT",
    3  -> "SIGQUIT",
    4  -> "SIGILL",
    6  -> "SIGABRT",
    8  -> "SIGFPE",
    9  -> "SIGKILL",
    11 -> "SIGSEGV",
    15 -> "SIGTERM"
  )
}
