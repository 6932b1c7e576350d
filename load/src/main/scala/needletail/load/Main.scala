package needletail.load

import needletail.load.command.{EngineLoadGenerator, Interruption, Program}
import needletail.load.report.text.Terminal

/** The program `needletail-load`; see `--help`. */
object Main {
  def main(arguments: Array[String]): Unit = {
    val interruption = new Interruption
    interruption.listen()
    val status =
      try new Program(
          new EngineLoadGenerator(interruption),
          Terminal.system(),
          interruption
        ).run(arguments.toVector)
      finally interruption.over()
    // the engine's threads are daemons, but another library's may not be
    if (!interruption.happened) sys.exit(status)
  }
}
