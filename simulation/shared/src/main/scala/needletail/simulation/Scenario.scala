package needletail.simulation

import scala.concurrent.duration._

import needletail.server.{Log, RunningServer}

/** A story that a world runs; what must hold after it is checked by it. */
trait Scenario {
  def run(): Unit

  /**
   * The weather is fair again: the server must be alive, and well; then it drains, and nothing must be left of it.
   * Where it was killed by a fatal error, it must have ended as a whole.
   */
  protected def finish(world: World, code: UserCode, server: RunningServer): Unit = {
    if (world.fatalLoops > 0) {
      if (!code.hasBeenFatal) world.found("a loop has ended, though nothing fatal was thrown")
      if (!world.run(30.seconds.toNanos)(server.stopped.isCompleted))
        world.found("a loop has ended, and the server has not")
      else if (server.stopped.value.exists(_.isSuccess))
        world.found("a fatal error ended the server, and it says that all is well")
    } else if (server.isReady) {
      // whatever time-outs there are pass
      world.run(60.seconds.toNanos)(false)
      if (server.isReady) Probe.lives(world, server.port)
    }
    if (world.fatalLoops == 0) {
      server.drain()
      if (!world.run(30.seconds.toNanos)(server.stopped.isCompleted))
        world.found("the drain did not end in its time")
      world.run(10.seconds.toNanos)(false)
    }
    world.run(10.seconds.toNanos)(world.loopsAlive == 0) // those of clients
    if (world.loopsAlive > 0) world.found(s"${world.loopsAlive} loops have not ended")
    if (world.network.descriptors != 0) world.found(s"${world.network.descriptors} descriptors are left open")
    code.checkStreams()
  }
}

/** Where a simulated server says what went wrong: in the trace, unless that throws as well. */
final class WorldLog(world: World, code: UserCode) extends Log {
  def warn(message: String): Unit = {
    world.trace.say(world, s"log: $message")
    code.at("the log")
  }
  def error(message: String, cause: Throwable): Unit = {
    world.trace.say(world, s"log: $message: $cause")
    code.at("the log")
  }
}

/** Is a server alive, and does it say that nothing is under way any more? */
object Probe {
  def lives(world: World, port: Int): Unit = {
    ask(world, port, "/probe") match {
      case Some(answer) if answer.status == 200 => ()
      case other => world.found(s"the server is not alive: it answers ${other.map(_.status)}")
    }
    ask(world, port, "/metrics").foreach { answer =>
      val text = new String(answer.content, "US-ASCII")
      text.linesIterator.filter(line =>
        gauges.exists(line.startsWith) && !line.endsWith(" 0") && !line.contains("\"/metrics\"")
      ).foreach { line =>
        world.found(s"something is still under way: $line")
      }
    }
  }

  private val gauges = Seq("needletail_requests_in_flight{", "needletail_requests_in_flight ")

  private def ask(world: World, port: Int, path: String): Option[Answer] = {
    val end = world.network.connect(port)
    if (end == null) None
    else {
      val asked  = new Asked("none", "GET", null, mayContinue = false)
      val reader = new StrictReader(_ => null, what => world.found(s"the probe: $what")) {
        override protected def isMarked: Boolean = false
      }
      asked.isSent = true
      val visitor = new Visitor(
        world,
        "the probe",
        end,
        Seq(new Visitor.Part(Service.ascii(s"GET $path HTTP/1.1\r\nHost: a\r\n\r\n"), 0, false, () => ())),
        Visitor.Manner.plain
      )(
        (bytes, n) => reader.feed(bytes, n),
        _ => true,
        () => reader.answers.nonEmpty,
        isReset => reader.ended(isReset)
      )
      world.run(30.seconds.toNanos)(visitor.isOver)
      reader.answers.headOption
    }
  }
}
