package needletail.simulation.scenario

import scala.concurrent.duration._

import needletail.server._
import needletail.simulation.peer.{HttpExchange, HttpProbe, SimpleClient}
import needletail.simulation.reader.{Mark, SentRequest, StrictHttpReader}
import needletail.simulation.service.{Service, UserCode}
import needletail.simulation.world.World

/**
 * Many clients that each send a body except for its last bytes, so that much is held for them. Not more than allowed
 * is held, others are served meanwhile, and nothing is left when they have disconnected.
 */
final class MemoryScenario(world: World) extends Scenario {
  private val random     = world.random
  private val code       = new UserCode(world)
  private val operations = new Operations
  private val service    = new Service(world, code, operations)
  private val budget     = random.pick(Seq(256L * 1024, 512L * 1024, 1024L * 1024))

  private val config = Scenario.serverConfig(world, code, operations).copy(
    loops = random.between(1, 2),
    maxConnections = 200,
    maxBodyInMemory = 100000,
    memoryBudget = budget,
    bodyTimeout = 20.seconds,
    handlerTimeout = 30.seconds,
    overload = OverloadConfig.off
  )

  /** Posts a body without its end; there is a response only if it is refused. */
  private final class SlowUploader(number: Int, port: Int) {
    private val size = random.between(2000, 60000)
    private val mark = Mark(number, 1)
    private val head =
      s"POST /echo HTTP/1.1\r\nHost: a\r\nX-Mark: $mark\r\nX-Size: $size\r\nContent-Length: $size\r\n\r\n"
    private val body   = Mark.content(mark, size)
    private val asked  = new SentRequest(mark, "POST", body, mayContinue = false)
    private val reader =
      new StrictHttpReader(_ => asked, what => world.found(s"uploader $number: $what"))
    private val caller =
      new SimpleClient(world.network.connect(port))((bytes, n) => reader.feed(bytes, n), reader.ended)
    asked.isSent = true
    caller.send(Service.ascii(head) ++ body.take(size - random.between(1, 100)))

    /** Bytes that the server has read and not answered. */
    def entrusted: Long = if (caller.isOver || reader.answers.nonEmpty) 0 else caller.taken
    def close(): Unit   = caller.close()
  }

  world.faults = world.faults.undisturbed

  def run(): Unit = {
    val server    = Server(service.routes, config).startOn(world.platform)
    val uploaders = (1 to random.between(10, 60)).map { n =>
      var uploader: SlowUploader = null
      world.after(random.longBetween(0, 2000000000L)) { uploader = new SlowUploader(n, server.port) }
      () => uploader
    }
    val bound = budget + config.loops * MemoryScenario.Slack
    world.run(4.seconds.toNanos) {
      val entrusted = uploaders.map(h => if (h() == null) 0L else h().entrusted).sum
      if (entrusted > bound) {
        world.found(s"$entrusted bytes were taken of those who wait, more than $bound")
        true
      } else false
    }
    // others are served, with a body of their own, while the maximum is held
    val small = new HttpExchange(world, server.port, "/probe")
    val large = new HttpExchange(world, server.port, "/echo", Mark.content("none", 3000))
    world.run(16.seconds.toNanos)(small.answer.nonEmpty && large.answer.nonEmpty)
    if (!small.answer.exists(_.status == 200) || !large.answer.exists(_.status == 200))
      world.found(
        s"others are not served: ${small.answer.map(_.status)} and ${large.answer.map(_.status)}, while much is held"
      )
    small.close()
    large.close()
    world.pass(30.seconds.toNanos)
    uploaders.foreach(h => if (h() != null) h().close())
    world.stopFaults()
    finish(world, code, server, new HttpProbe(world, server.port))
  }
}

private object MemoryScenario {

  /** The part in the loop's buffer, which is dropped at once. */
  private final val Slack = 128L * 1024
}
