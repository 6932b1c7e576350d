package needletail.load.command.options

import scopt.{OEffect, OParser}

/** A parsed command line: a command to run, or a text to print. */
private[load] sealed trait ParsedCommand

private[load] object ParsedCommand {
  final case class Work(command: String, options: Options) extends ParsedCommand

  /** Printed to standard output, with exit status 0. */
  final case class Help(text: String) extends ParsedCommand

  /** Printed to standard error, with exit status 2. */
  final case class Wrong(text: String) extends ParsedCommand
}

private[load] object CommandLine {

  /** From the jar's manifest, which does not exist during development. */
  val version: String = Option(getClass.getPackage.getImplementationVersion).getOrElse("(unreleased)")

  /** In the order of the overview. */
  val commands: Vector[(String, String)] = Vector(
    "run"          -> "runs a test with a number of users, or at a rate",
    "characterise" -> "finds the limits of a server, by five criteria",
    "ladder"       -> "runs 17 tests with 10 to 2,000 users, 50 requests each",
    "compare"      -> "compares two results and reports significant changes",
    "merge"        -> "merges the results of several generators"
  )

  val overview: String =
    s"""needletail-load $version: a load tester for HTTP servers, which reports whether the server or
       |the load tester itself was the limit.
       |
       |Usage: needletail-load COMMAND [options] ...
       |
       |${commands.map { case (name, what) => f"  $name%-14s$what" }.mkString("\n")}
       |
       |  needletail-load COMMAND --help   describes a command
       |  needletail-load --version
       |
       |Exit status: 0 success; 1 an assertion failed, or a comparison found a regression; 2 wrong usage or input,
       |no good response at all, or a file that cannot be written; 130 after Ctrl-C, with a report of the
       |measurements so far.
       |""".stripMargin

  def parse(arguments: Seq[String]): ParsedCommand = arguments.toList match {
    case Nil                                           => ParsedCommand.Wrong(overview)
    case ("--help" | "-h" | "help") :: _               => ParsedCommand.Help(overview)
    case ("--version" | "version") :: _                => ParsedCommand.Help(s"needletail-load $version\n")
    case name :: rest if commands.exists(_._1 == name) => parse(name, rest)
    case "characterize" :: rest                        => parse("characterise", rest)
    case name :: _                                     =>
      val hint = DidYouMean.of(name, commands.map(_._1)).fold("")(near => s"; did you mean $near?")
      ParsedCommand.Wrong(s"needletail-load: unknown command $name$hint\nSee needletail-load --help.\n")
  }

  /** An argument after an unknown option may be its value, and is not reported separately. */
  private def told(errors: List[String], usage: String): List[String] = {
    val known   = """--[a-z][a-z-]+""".r.findAllIn(usage).toVector.distinct
    val unknown = errors.filter(_.startsWith(UnknownOption)).map { message =>
      message + DidYouMean.of(message.stripPrefix(UnknownOption), known).fold("")(near =>
        s"; did you mean $near?"
      )
    }
    if (unknown.isEmpty) errors.map {
      case TooFew(name, times) => s"$name: $times are required"
      case other               => other
    }
    else unknown ++ errors.filterNot(m => m.startsWith(UnknownOption) || m.startsWith("Unknown argument"))
  }

  /** The library's message about an argument that is required several times. */
  private val TooFew = """Argument (.+?)'? must be given (\d+) times""".r

  private final val UnknownOption = "Unknown option "

  private def parse(name: String, arguments: List[String]): ParsedCommand = {
    val parser = CommandParser(name)
    if (arguments.exists(a => a == "--help" || a == "-h")) ParsedCommand.Help(OParser.usage(parser) + "\n")
    else {
      val (options, effects) = OParser.runParser(parser, arguments, Options())
      val errors             = effects.collect { case OEffect.ReportError(message) => message }
      options match {
        case Some(good) if errors.isEmpty => ParsedCommand.Work(name, good)
        case _                            =>
          val each = told(errors, OParser.usage(parser)).map(m => s"needletail-load $name: $m\n").mkString
          ParsedCommand.Wrong(s"${each}See needletail-load $name --help.\n")
      }
    }
  }
}
