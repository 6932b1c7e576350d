package needletail.simulation

import java.io.PrintStream

import needletail.io.EventLoop
import needletail.simulation.scenario.{
  AwaitScenario,
  ClientScenario,
  CodecScenario,
  ContentScenario,
  GatewayScenario,
  HttpScenario,
  MemoryScenario,
  OverloadScenario,
  PipelineScenario,
  Scenario,
  TcpClientScenario,
  TlsScenario,
  WebSocketScenario
}
import needletail.simulation.tls.PlatformTlsEngines
import needletail.simulation.world.{FaultRates, World}

/** Runs simulations by seed. */
object Simulation {

  /** The result of a simulation. */
  final case class Outcome(seed: Long, findings: Seq[String], digest: String, trace: String)

  private val present = new ThreadLocal[World]

  /** Failures that loops report go to the simulation of the calling thread. */
  private lazy val hook: Unit = {
    val before = EventLoop.onFailure
    EventLoop.onFailure = (text, cause) => {
      val world = present.get
      if (world == null) before(text, cause)
      else {
        world.trace.say(world, s"reported: $text: $cause")
        world.onReport(cause)
      }
    }
    // where the hook throws, too
    val errors = System.err
    System.setErr(new PrintStream(errors, true) {
      override def println(text: String): Unit = {
        val world = present.get
        if (world == null) errors.println(text)
        else world.trace.say(world, s"standard error: ${text.takeWhile(_ != '\n')}")
      }
    })
  }

  /**
   * The scenario: usually an HTTP server. Some are chosen by the seed itself, without a random number: so the other seeds
   * stand for the simulations that docs/testing.md says they do.
   */
  private def scenario(world: World): Scenario =
    if (world.seed % 13 == 0 && PlatformTlsEngines.missing == null) new TlsScenario(world)
    else
      world.seed % 11 match {
        case 3 => new WebSocketScenario(world)
        case 9 => new ContentScenario(world)
        case _ => bySeventeen(world)
      }

  private def bySeventeen(world: World): Scenario = world.seed % 17 match {
    case 2  => new OverloadScenario(world)
    case 14 => new PipelineScenario(world)
    case 15 => new AwaitScenario(world)
    case _  => usual(world)
  }

  private def usual(world: World): Scenario = world.random.below(40) match {
    case n if n < 2  => new CodecScenario(world)
    case n if n < 4  => new TcpClientScenario(world)
    case n if n < 16 => new ClientScenario(world)
    case 16          => new MemoryScenario(world)
    case n if n < 25 => new GatewayScenario(world)
    case _           => new HttpScenario(world)
  }

  /** Which simulation it is: `scenario Http with stalls 3, shortReads 40`; the rates are those of [[FaultRates]]. */
  private def described(scenario: Scenario, faults: FaultRates): String = {
    val name  = scenario.getClass.getSimpleName.stripSuffix("Scenario")
    val rates = faults.productElementNames.zip(faults.productIterator).collect {
      case (fault, rate: Int) if rate > 0 => s"$fault $rate"
      case (fault, true)                  => fault
    }
    s"scenario $name ${if (rates.isEmpty) "without faults" else rates.mkString("with ", ", ", "")}"
  }

  /** Runs the simulation of that seed on the calling thread. */
  def run(seed: Long, traced: Boolean = false): Outcome = {
    hook
    val world = new World(seed, traced)
    present.set(world)
    try {
      val chosen = scenario(world)
      world.trace.say(world, described(chosen, world.faults))
      chosen.run()
    } catch {
      case e: Throwable =>
        world.found(s"the simulation itself failed: $e ${e.getStackTrace.take(12).mkString(" < ")}")
    } finally present.remove()
    Outcome(seed, world.findings.toSeq, world.trace.digest, world.trace.text)
  }
}
