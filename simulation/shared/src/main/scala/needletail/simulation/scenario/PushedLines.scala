package needletail.simulation.scenario

import needletail.async.{Async, Survivable}
import needletail.server.MessageConnection
import needletail.simulation.world.{SeededRandom, World}

import scala.concurrent.duration._

/**
 * Lines that a server of a line protocol sends by itself on one connection, at any time: numbered, so that a client can
 * tell whether it got them all, and in order.
 *
 * @param mayClose whether it may close the connection, too
 * @param goesOn   whether there may be more
 */
private[scenario] final class PushedLines(
    world: World,
    connection: MessageConnection[String],
    random: SeededRandom,
    mayClose: Boolean
)(goesOn: => Boolean) {
  private var sent     = 0
  private var isClosed = false
  private var ends     = 0
  connection.closed.foreach { _ =>
    isClosed = true
    ends += 1
    if (ends > 1) world.found("the end of a connection was told twice")
  }
  if (random.percent(30)) send()
  goOn()

  private def goOn(): Unit = Async.sleep(random.longBetween(0, 2000000000L).nanos).foreach { _ =>
    if (isClosed) { if (connection.send("!late")) world.found("a closed connection took a message") }
    else {
      for (_ <- 1 to random.skewed(5)) send()
      if (mayClose && random.percent(5)) connection.close()
      if (sent < PushedLines.Most && goesOn) goOn()
    }
  }

  private def send(): Unit =
    try if (connection.send(PushedLines.line(sent + 1))) sent += 1
    catch { case Survivable(_) => () } // of the codec
}

private[scenario] object PushedLines {
  private final val Most = 60

  def line(number: Int): String = s"!$number"

  /** What a client has read, without such lines, and their numbers. The last line may be incomplete. */
  def apart(text: String): (String, Seq[Int]) = {
    val own    = new java.lang.StringBuilder
    var pushed = Vector.empty[Int]
    var at     = 0
    while (at < text.length) {
      val end   = text.indexOf('\n', at) + 1
      val until = if (end > 0) end else text.length
      if (text.charAt(at) != '!') own.append(text, at, until)
      else if (end > 0) pushed :+= text.substring(at + 1, end - 1).toInt
      at = until
    }
    (own.toString, pushed)
  }
}
