package needletail.load.command

import java.io.{ByteArrayOutputStream, PrintStream}
import java.nio.file.Path

import needletail.load.analysis.{ModelDriver, ModelServer}
import needletail.load.engine.LoadRunner
import needletail.load.plan.LoadPlan
import needletail.load.report.text.Terminal
import needletail.load.result.{Interval, Machine, RunResult}

/** The program against a model: what it says, and the status it ends with. */
final class ModelProgram(
    val driver: LoadRunner = new ModelDriver(ModelServer()),
    scenarios: Path => Either[String, LoadPlan] = file => Left(s"$file: there is none"),
    warnings: Vector[String] = Vector.empty,
    live: Boolean = false,
    val interruption: Interruption = new Interruption
) {
  private val outBytes = new ByteArrayOutputStream
  private val errBytes = new ByteArrayOutputStream

  private val generator = new LoadGenerator {
    def mistake(plan: LoadPlan): Option[String] = None
    def preflight(plan: LoadPlan): Machine      = ModelDriver.machine.copy(warnings = warnings)
    def scenario(file: Path, server: Option[String]): Either[String, LoadPlan] = scenarios(file)
    def run(plan: LoadPlan, watch: Interval => Boolean): RunResult             = driver.run(plan, watch)
  }

  private val terminal = new Terminal(
    new PrintStream(outBytes, true, "UTF-8"),
    new PrintStream(errBytes, true, "UTF-8"),
    live,
    120
  )

  def run(arguments: String*): Int = new Program(generator, terminal, interruption).run(arguments)

  def out: String = outBytes.toString("UTF-8")
  def err: String = errBytes.toString("UTF-8")
}
