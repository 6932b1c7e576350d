package needletail.gateway.serve

import needletail.gateway.format.cgi.GatewayRequest

/**
 * What is logged about one request of a FastCGI connection: its web server gets the lines, in the request's error
 * stream. That is possible in a turn of the connection only, so lines of another time wait for one.
 */
private[gateway] abstract class FastCgiErrors(log: RequestLog) extends GatewayRequest.Errors {

  /** Whether nothing more is sent for the request. */
  protected def isOver: Boolean
  protected def send(line: String): Unit
  protected def requestTurn(): Unit

  /** Whether anything was sent in its error stream, which then must be ended. */
  var hasTold: Boolean = false

  private val tell: String => Unit = line =>
    if (!isOver) {
      hasTold = true
      send(line)
    }

  /** What was logged between its turns, when there is no writer to use; null if nothing was. */
  private var late: String = null

  private val keep: String => Unit = line =>
    if (!isOver) {
      if (late == null) late = line
      else if (late.length < FastCgiErrors.MostLate) late += line
      requestTurn()
    }

  /** A turn of the request begins: what is logged in it is about this request. */
  def turnBegins(): Unit = {
    log.listener = tell
    if (late != null) {
      val lines = late
      late = null
      tell(lines)
    }
  }

  def turnEnds(): Unit = log.listener = null

  /** Its handler has failed: in its turn, in that of another request, or between turns. */
  def logging(writes: Runnable): Unit = {
    val before = log.listener
    if (before eq tell) writes.run()
    else {
      log.listener = keep
      try writes.run()
      finally log.listener = before
    }
  }
}

private object FastCgiErrors {

  /** Lines that are kept between turns, in bytes; what is longer is in the program's log only. */
  private final val MostLate = 8 * 1024
}
