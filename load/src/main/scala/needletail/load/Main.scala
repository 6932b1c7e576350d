package needletail.load

import needletail.load.command.{EngineGenerator, Interruption, Program}
import needletail.load.report.Terminal

/** `needletail-load`: `--help` says what it can do. */
object Main {
  def main(arguments: Array[String]): Unit = {
    val interruption = new Interruption
    interruption.listen()
    val status =
      try new Program(
          new EngineGenerator(interruption),
          Terminal.system(),
          interruption
        ).run(arguments.toVector)
      finally interruption.over()
    // the engine's threads do not keep it, but another library's might
    if (!interruption.happened) sys.exit(status)
  }
}
