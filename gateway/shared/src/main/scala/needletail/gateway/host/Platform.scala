package needletail.gateway.host

/*
 * What a platform supplies to run other people's programs. Everything else in this package is portable.
 *
 *   object Spawner
 *     val handsOverSockets: Boolean       can a program be given a listening socket as its descriptor 0?
 *     def start(launch: Launch): StartedProgram  starts a program; blocks for as long as the system takes to do that.
 *                                         Throws LaunchFailed
 *     def listen(path: String): Listening a Unix socket for programs that take it as descriptor 0; throws IOException,
 *                                         and UnsupportedOperationException where it cannot be handed over
 *     def atExit(hook: Thread): Unit      has it run when this process ends in order, and leaves signals to whoever has
 *                                         them: a server's SIGTERM still drains
 *   final class Listening
 *     def close(): Unit
 *   final class StartedProgram                   a program that runs and that nobody watches yet
 *     def attach(loop: EventLoop, killGraceNanos: Long, errors: Array[Byte] => Unit): Program
 *                                         on the loop's own thread: from now on it is that loop's. `errors` is given
 *                                         all that comes on standard error, which is read whatever happens
 *     def kill(): Unit                    kills its process group and reaps it; may block for a moment
 *     def discard(): Unit                 instead of attach: the same, and closes its pipes
 *
 * A program that was started
 *   - leads a process group of its own, so that it can be ended with all it has started;
 *   - has no descriptor but 0, 1 and 2, and ignores and blocks no signal (on the JVM: but those the JVM was started
 *     with);
 *   - has the environment of its Launch and no other.
 */

/** Texts as octets, one in each character: as CGI's variables are, whatever they mean to whom. */
private[host] object OctetText {
  import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

  /** The octets of a text in UTF-8. */
  def of(text: String): String = new String(text.getBytes(UTF_8), ISO_8859_1)

  /** The text that those octets mean in UTF-8. */
  def text(octets: String): String = new String(octets.getBytes(ISO_8859_1), UTF_8)
}
