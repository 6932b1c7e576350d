package needletail.simulation.reader

/** A FastCGI request, as its web server knows it. */
final class FastCgiAsked(val asked: SentRequest, val id: Int, val isResponder: Boolean) {
  val output                   = new java.io.ByteArrayOutputStream
  var isEnded                  = false // END_REQUEST has arrived
  var outputEnded              = false
  var hasErrors                = false
  var errorsEnded              = false
  var answer: ReceivedResponse = null  // when complete
}

/**
 * An independent reader of a FastCGI program's records: each must be expected, of a request in progress.
 *
 * @param request the current request with that id; null if there is none
 */
final class FastCgiReader(request: Int => FastCgiAsked, mayRefuse: Boolean, found: String => Unit) {
  private var bytes = Array.emptyByteArray
  private var wrong = false

  /** Expected responses to management records: to GET_VALUES, and to unknown types. */
  var values   = 0
  var unknowns = List.empty[Int]

  private def fail(what: String): Unit = {
    wrong = true
    found(what)
  }

  def feed(more: Array[Byte], count: Int): Unit = if (!wrong) {
    bytes = bytes ++ java.util.Arrays.copyOf(more, count)
    var at = 0
    var go = true
    while (go && !wrong && bytes.length - at >= 8) {
      val length = number(at + 4)
      val next   = at + 8 + length + (bytes(at + 6) & 0xff)
      if (bytes(at) != 1) fail(s"a record of version ${bytes(at)}")
      else if (bytes.length < next) go = false
      else {
        record(
          bytes(at + 1).toInt,
          number(at + 2),
          java.util.Arrays.copyOfRange(bytes, at + 8, at + 8 + length)
        )
        at = next
      }
    }
    bytes = bytes.drop(at)
  }

  private def number(at: Int): Int = ((bytes(at) & 0xff) << 8) | (bytes(at + 1) & 0xff)

  private def record(kind: Int, id: Int, content: Array[Byte]): Unit = kind match {
    case 10 =>
      if (id != 0 || values == 0) fail("an answer to GET_VALUES that nobody has asked for")
      values -= 1
    case 11 =>
      val of = if (content.length == 8) content(0) & 0xff else -1
      if (id != 0 || !unknowns.contains(of)) fail(s"UNKNOWN_TYPE for $of")
      unknowns = unknowns.diff(List(of))
    case 3 | 6 | 7 =>
      val r = request(id)
      if (r == null) fail(s"a record of type $kind for request $id, which there is none of")
      else if (r.isEnded) fail(s"a record of type $kind for request $id, which has ended")
      else if (kind == 3) ended(r, content)
      else if (!r.isResponder) fail(s"output of request $id, which is in no role that is known")
      else if (kind == 6) {
        if (r.outputEnded) fail(s"output of request $id behind its end")
        if (content.isEmpty) r.outputEnded = true else r.output.write(content, 0, content.length)
      } else {
        if (r.errorsEnded) fail(s"errors of request $id behind their end")
        if (content.isEmpty) r.errorsEnded = true else r.hasErrors = true
      }
    case _ => fail(s"a record of type $kind")
  }

  private def ended(r: FastCgiAsked, content: Array[Byte]): Unit =
    if (content.length != 8) fail(s"END_REQUEST of ${content.length} bytes")
    else {
      r.isEnded = true
      val isSuccess = content.take(4).forall(_ == 0)
      val status    = content(4).toInt
      if (!r.isResponder) {
        if (status != 3 && !(status <= 2 && mayRefuse)) fail(s"status $status for an unknown role")
      } else if (status == 0) {
        if (isSuccess && !r.outputEnded) fail(s"the output of request ${r.id} has no end")
        if (r.hasErrors && !r.errorsEnded) fail(s"the errors of request ${r.id} have no end")
        checkOutput(r, isSuccess)
      } else if (status > 2 || !mayRefuse) fail(s"request ${r.id} is refused with status $status")
      else if (r.output.size > 0) fail(s"output of request ${r.id}, which is refused")
    }

  private def checkOutput(r: FastCgiAsked, isAll: Boolean): Unit = {
    val output  = r.output.toByteArray
    val problem = CgiReader.wrong(output, r.asked, isAll)
    if (problem != null) fail(s"request ${r.id} is answered with $problem")
    else
      CgiReader.read(output, r.asked.method == "HEAD") match {
        case CgiReader.Whole(answer) if isAll => r.answer = answer
        case _                                => ()
      }
  }

  /** Checks the part of a response that will not be completed. */
  def checkPart(r: FastCgiAsked): Unit = if (!wrong && !r.isEnded) checkOutput(r, isAll = false)
}
