package needletail.gateway.host

import scala.util.control.NoStackTrace

/*
 * What a platform supplies to run other people's programs. Everything else in this package is portable.
 *
 *   object Spawner
 *     val handsOverSockets: Boolean       can a program be given a listening socket as its descriptor 0?
 *     def start(launch: Launch): StartedProgram  starts a program; blocks for as long as the system takes to do that.
 *                                         Throws LaunchFailed
 *     def listen(path: String): Listening a Unix socket for programs that take it as descriptor 0; throws IOException,
 *                                         and UnsupportedOperationException where it cannot be handed over
 *   final class Listening
 *     def close(): Unit
 *   final class StartedProgram                   a program that runs and that nobody watches yet
 *     def attach(loop: EventLoop, killGraceNanos: Long, errors: Array[Byte] => Unit): Program
 *                                         on the loop's own thread: from now on it is that loop's. `errors` is given
 *                                         all that comes on standard error, which is read whatever happens
 *     def discard(): Unit                 instead: kills its process group and reaps it; may block for a moment
 *
 * A program that was started
 *   - leads a process group of its own, so that it can be ended with all it has started;
 *   - has no descriptor but 0, 1 and 2, and ignores and blocks no signal (on the JVM: but those the JVM was started
 *     with);
 *   - has the environment of its Launch and no other.
 */

/**
 * What to run. All texts are octets, one in each character (see [[OctetText]]), as the system and CGI have them.
 *
 * @param program the path of the file to be run
 * @param arguments without the program's own name, which is `program`
 * @param directory to run in; empty: ours
 * @param listening what its standard input is to be in place of a pipe; null: a pipe
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
  final val NotThere   = 1 // the file, or the interpreter that its first line names
  final val Forbidden  = 2
  final val NoProgram  =
    3 // neither a binary that the system can run nor a script with a first line that says how
  final val SystemFull = 4 // out of processes, memory or descriptors
}

/** Texts as octets, one in each character: as CGI's variables are, whatever they mean to whom. */
private[host] object OctetText {
  import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

  /** The octets of a text in UTF-8. */
  def of(text: String): String = new String(text.getBytes(UTF_8), ISO_8859_1)

  /** The text that those octets mean in UTF-8. */
  def text(octets: String): String = new String(octets.getBytes(ISO_8859_1), UTF_8)
}
