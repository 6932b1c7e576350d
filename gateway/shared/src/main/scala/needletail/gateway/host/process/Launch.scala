package needletail.gateway.host.process

import scala.util.control.NoStackTrace

/**
 * Which program to start, and how. All texts are bytes, one in each character (see [[ByteText]]).
 *
 * @param program the path of the file to run
 * @param arguments without the program's own name, which is `program`
 * @param directory the working directory; empty: that of this process
 * @param listening the socket for its standard input; null: a pipe
 */
private[host] final case class Launch(
    program: String,
    arguments: Seq[String] = Nil,
    environment: Seq[(String, String)] = Nil,
    directory: String = "",
    listening: Listening = null
)

/** A program could not be started; `message` is for the log. */
private[host] final class LaunchFailed(val reason: Int, message: String)
    extends RuntimeException(message)
    with NoStackTrace

private[host] object LaunchFailed {
  final val Other      = 0
  final val NotThere   = 1 // the file, or the interpreter named in its first line
  final val Forbidden  = 2
  final val NoProgram  =
    3 // neither a binary that the system can run nor a script with an interpreter line
  final val SystemFull = 4 // out of processes, memory or descriptors
}
