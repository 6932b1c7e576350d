package needletail.gateway.host.incoming

import needletail.http.Request
import needletail.http.admission.TimeLimit
import needletail.http.message.Method
import needletail.io.EventLoop

/**
 * One request to a program.
 *
 * @param content its body, of known length
 * @param variables for the program, as bytes (see [[ByteText]])
 * @param what the name of the request in the log
 * @param loop the loop that serves it
 */
private[host] final class ProgramRequest(
    val request: Request,
    val path: ScriptPath,
    val content: SizedContent,
    val variables: Seq[(String, String)],
    val what: String,
    val loop: EventLoop
) {
  val isHead: Boolean  = request.method eq Method.HEAD
  val limit: TimeLimit = request.timeLimit
}
