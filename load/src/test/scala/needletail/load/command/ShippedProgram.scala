package needletail.load.command

import java.io.{ByteArrayOutputStream, PrintStream}

import needletail.load.report.text.Terminal

/** The program with its own engine, in this process. */
trait ShippedProgram {
  final class Ran(val status: Int, val out: String, val err: String)

  def program(arguments: String*): Ran = {
    val out      = new ByteArrayOutputStream
    val err      = new ByteArrayOutputStream
    val terminal =
      new Terminal(new PrintStream(out, true, "UTF-8"), new PrintStream(err, true, "UTF-8"), false, 100)
    val status = new Program(new EngineLoadGenerator, terminal, new Interruption).run(arguments)
    new Ran(status, out.toString("UTF-8"), err.toString("UTF-8"))
  }
}
