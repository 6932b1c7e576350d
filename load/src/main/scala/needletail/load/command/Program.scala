package needletail.load.command

import needletail.load.command.options.{CommandLine, Options, ParsedCommand}
import needletail.load.report.text.Terminal

/** The program: parses arguments, runs a command, and returns the exit status. */
private[load] final class Program(generator: LoadGenerator, terminal: Terminal, interruption: Interruption) {

  def run(arguments: Seq[String]): Int = CommandLine.parse(arguments) match {
    case ParsedCommand.Help(text) =>
      terminal.print(text.linesIterator.toVector)
      ExitStatus.Good
    case ParsedCommand.Wrong(text) =>
      text.linesIterator.foreach(terminal.say)
      ExitStatus.Wrong
    case ParsedCommand.Work(command, options) =>
      options.outputs.problem(options.inputs) match {
        case Some(problem) => wrong(command, problem)
        case None          => work(command, options).fold(wrong(command, _), identity)
      }
  }

  private def work(command: String, options: Options): Either[String, Int] = {
    val session = new CommandContext(generator, terminal, interruption)
    command match {
      case "run"          => new RunCommand(session, options).run()
      case "characterise" => new CharacteriseCommand(session, options).run()
      case "ladder"       => new LadderCommand(session, options).run()
      case "compare"      => new CompareCommand(session, options).run()
      case _              => new MergeCommand(session, options).run()
    }
  }

  private def wrong(command: String, problem: String): Int = {
    terminal.say(s"needletail-load $command: $problem")
    ExitStatus.Wrong
  }
}
