package needletail.load.command

import needletail.load.report.Terminal

/** The program without its process: what it is asked, and the status that it ends with. */
private[load] final class Program(generator: Generator, terminal: Terminal, interruption: Interruption) {

  def run(arguments: Seq[String]): Int = CommandLine.parse(arguments) match {
    case Asked.Help(text) =>
      terminal.print(text.linesIterator.toVector)
      Status.Good
    case Asked.Wrong(text) =>
      text.linesIterator.foreach(terminal.say)
      Status.Wrong
    case Asked.Work(command, options) =>
      options.outputs.problem(options.inputs) match {
        case Some(problem) => wrong(command, problem)
        case None          => work(command, options).fold(wrong(command, _), identity)
      }
  }

  private def work(command: String, options: Options): Either[String, Int] = {
    val session = new Session(generator, terminal, interruption)
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
    Status.Wrong
  }
}
