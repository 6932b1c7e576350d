package needletail.gateway

import needletail.fuzz.{Check, FuzzTarget}
import needletail.gateway.format.cgi.{RequestHead, Variables}
import needletail.http.http1.{HeadLimits, HeadParser}
import needletail.http.message.HttpError
import needletail.http.text.ByteWriter

/**
 * A web server's variables, as in an environment, converted to a request head by [[RequestHead]]; the first byte
 * determines where the program is mounted. The head that is written is exactly one head, or is refused: nothing in a
 * variable can end a line, begin a second request, or change where the body ends.
 */
object CgiRequestFuzz extends FuzzTarget("cgi-request") {
  def check(data: Array[Byte]): Unit = if (data.length > 0) {
    val flags     = data(0)
    val variables = Variables.ofEnvironment(data.drop(1))
    val head      = new RequestHead(if ((flags & 1) != 0) "/app" else null, isScript = (flags & 2) != 0)
    val w         = new ByteWriter(64)
    val hasBody   = (flags & 4) != 0
    val problem   = head.write(w, variables, hasBody)
    if (problem == null) parsed(w, head, hasBody)
    Check.same("kept", variables.kept.toList, variables.toList)
    val again = new ByteWriter(64)
    val other = new RequestHead(if ((flags & 1) != 0) "/app" else null, isScript = (flags & 2) != 0)
    val told  = other.write(again, variables.kept, hasBody)
    Check.same(
      "of those that are kept",
      (message(told), text(again, told)),
      (message(problem), text(w, problem))
    )
  }

  override def read(data: Array[Byte]): Unit = {
    val variables = Variables.ofEnvironment(data)
    new RequestHead(null, isScript = false).write(new ByteWriter(64), variables, hasBody = true)
    variables.kept
    ()
  }

  private def message(problem: HttpError)             = if (problem == null) null else problem.message
  private def text(w: ByteWriter, problem: HttpError) = if (problem == null) Check.text(w.taken) else null

  private def parsed(w: ByteWriter, head: RequestHead, hasBody: Boolean): Unit = {
    val parser = new HeadParser(HeadLimits(maxTarget = 1 << 16, maxHead = 1 << 20, maxHeaders = 1 << 16))
    parser.secure = true
    val n = parser.parse(w.bytes, 0, w.length)
    Check(n == w.length || n == HeadParser.Bad, s"$n bytes of the head ${Check.text(w.taken)}")
    if (n > 0) {
      val fields = parser.head.toHeaders
      Check(!fields.contains("proxy"), "a Proxy field")
      Check.same("HEAD", parser.head.method.name == "HEAD", head.isHead)
      val length =
        if (head.contentLength > 0) head.contentLength else if (head.contentLength < 0 && hasBody) -1L else 0L
      Check.same("the body's length", parser.head.contentLength, length)
      Check.same("chunked", parser.head.chunked, length < 0)
    }
  }
}
