package needletail.simulation.scenario

import scala.concurrent.duration._

import needletail.io.Address
import needletail.server._
import needletail.simulation.reader.{Asked, Mark, StrictReader}
import needletail.simulation.service.{Service, UserCode}
import needletail.simulation.visit.{Caller, HttpCall, HttpProbe}
import needletail.simulation.world.World

/**
 * Many clients that each send a body except for its last bytes, so that much is held for them. Not more than allowed
 * is held, others are served meanwhile, and nothing is left when they have disconnected.
 */
final class HoardScenario(world: World) extends Scenario {
  private val dice       = world.dice
  private val code       = new UserCode(world)
  private val operations = new Operations
  private val service    = new Service(world, code, operations)
  private val budget     = dice.pick(Seq(256L * 1024, 512L * 1024, 1024L * 1024))

  private val config = ServerConfig(
    address = Address.Tcp("127.0.0.1", 0),
    loops = dice.between(1, 2),
    maxConnections = 200,
    maxBodyInMemory = 100000,
    memoryBudget = budget,
    bodyTimeout = 20.seconds,
    handlerTimeout = 30.seconds,
    lingerTimeout = 1.second,
    drainGrace = 200.millis,
    drainTimeout = 5.seconds,
    blockedLoop = Duration.Zero,
    operations = Some(operations),
    overload = OverloadConfig.off,
    log = new WorldLog(world, code)
  )

  /** Posts a body without its end; there is a response only if it is refused. */
  private final class Hoarder(number: Int, port: Int) {
    private val size = dice.between(2000, 60000)
    private val mark = Mark(number, 1)
    private val head =
      s"POST /echo HTTP/1.1\r\nHost: a\r\nX-Mark: $mark\r\nX-Size: $size\r\nContent-Length: $size\r\n\r\n"
    private val body   = Mark.content(mark, size)
    private val asked  = new Asked(mark, "POST", body, mayContinue = false)
    private val reader =
      new StrictReader(_ => asked, what => world.found(s"hoarder $number: $what"))
    private val caller =
      new Caller(world.network.connect(port))((bytes, n) => reader.feed(bytes, n), reader.ended)
    asked.isSent = true
    caller.send(Service.ascii(head) ++ body.take(size - dice.between(1, 100)))

    /** Bytes that the server has read and not answered. */
    def entrusted: Long = if (caller.isOver || reader.answers.nonEmpty) 0 else caller.taken
    def close(): Unit   = caller.close()
  }

  def run(): Unit = {
    world.weather = world.weather.copy(
      throws = 0,
      fatal = false,
      resets = 0,
      stalls = 0,
      preempted = 0,
      acceptFails = 0,
      configFails = 0
    )
    val server   = Server(service.routes, config).startOn(world.platform)
    val hoarders = (1 to dice.between(10, 60)).map { n =>
      var hoarder: Hoarder = null
      world.after(dice.longBetween(0, 2000000000L)) { hoarder = new Hoarder(n, server.port) }
      () => hoarder
    }
    val bound = budget + config.loops * HoardScenario.Slack
    world.run(4.seconds.toNanos) {
      val entrusted = hoarders.map(h => if (h() == null) 0L else h().entrusted).sum
      if (entrusted > bound) {
        world.found(s"$entrusted bytes were taken of those who wait, more than $bound")
        true
      } else false
    }
    // others are served, with a body of their own, while the maximum is held
    val small = new HttpCall(world, server.port, "/probe")
    val large = new HttpCall(world, server.port, "/echo", Mark.content("none", 3000))
    world.run(16.seconds.toNanos)(small.answer.nonEmpty && large.answer.nonEmpty)
    if (!small.answer.exists(_.status == 200) || !large.answer.exists(_.status == 200))
      world.found(
        s"others are not served: ${small.answer.map(_.status)} and ${large.answer.map(_.status)}, while much is held"
      )
    small.close()
    large.close()
    world.pass(30.seconds.toNanos)
    hoarders.foreach(h => if (h() != null) h().close())
    world.clearUp()
    finish(world, code, server, new HttpProbe(world, server.port))
  }
}

private object HoardScenario {

  /** The part in the loop's buffer, which is dropped at once. */
  private final val Slack = 128L * 1024
}
