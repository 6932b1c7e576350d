package needletail.load.command.options

import java.nio.file.{InvalidPathException, Path, Paths}

import scala.concurrent.duration._

import scopt.{OEffect, OParser, OParserBuilder}

import needletail.load.analysis.verdict.Condition
import needletail.load.plan.Trust

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
    val parser = new CommandLine(name).parser
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

/** The options of one command. */
private final class CommandLine(command: String) {
  private val builder: OParserBuilder[Options] = OParser.builder[Options]
  import builder._

  private type Part = OParser[?, Options]

  def parser: OParser[Unit, Options] = {
    val all: Vector[Part] = command match {
      case "run" =>
        Vector(
          head("Runs a load test against a URL, or from a scenario file."),
          target(
            "URL|SCENARIO",
            "URL to request (with ws://: to send messages to), or a scenario file (.yaml)"
          ),
          value("target", "URL", "server to use instead of the scenario's own target")(
            OptionValues.url
          )((url, o) => o.copy(server = Some(url)))
        ) ++ load ++ asking ++ outputs(hlog = true, junit = true) :+ assertions :+ examples(
          "run http://localhost:8080/ --users 50 --duration 30s",
          "run localhost:8080/ --rate 2000 --poisson --duration 1m --assert \"p99 < 50 ms, errors < 0.1 %\"",
          "run shop.yaml --json result.json --html result.html"
        )
      case "characterise" =>
        Vector(
          head(
            "Measures a server by five criteria: responsiveness, throughput, maximum load, tail latency, error handling."
          ),
          target("URL", "URL to request")
        ) ++ search ++ asking ++ outputs(hlog = false, junit = true) :+ assertions :+ examples(
          "characterise http://localhost:8080/ --objective \"p99 < 50 ms, errors < 0.1 %\" --html server.html"
        )
      case "ladder" =>
        Vector(
          head("Runs 17 tests with 10 to 2,000 users, 50 requests per user; statuses 200 and 304 are good."),
          target("URL", "URL to request")
        ) ++ ladder ++ asking ++ outputs(hlog = false, junit = true) :+ assertions :+ examples(
          "ladder http://localhost:8080/ --csv ladder.csv --html ladder.html"
        )
      case "compare" =>
        Vector(
          head("Reports significant changes from A to B. The exit status is 1 if B is worse."),
          files(
            "A.json B.json",
            "results of run --json; separate several results of one side by commas",
            2,
            2
          )
        ) ++ comparing ++ outputs(hlog = false, junit = true, html = false)
      case _ =>
        Vector(
          head(
            "Merges the results of several generators that ran at the same time. Percentiles are exact."
          ),
          files("FILE...", "results of run --json, or logs of run --hlog, all of one kind", 1, 10000)
        ) ++ outputs(hlog = true, junit = true) :+ assertions
    }
    val named: OParser[Unit, Options] = programName(s"needletail-load $command")
    val help: Part                    = opt[Unit]("help").abbr("h").text("this text").hidden()
    OParser.sequence(named, (all :+ help)*)
  }

  private def load: Vector[Part] = Vector(
    note("\nClosed model: users who wait for each response (without --rate)"),
    value("users", "N", "number of concurrent users (10)")(number(1, 1000000))((n, o) =>
      o.copy(users = Some(n))
    ),
    value("requests", "N", "requests per user, instead of a duration")(number(1, Int.MaxValue))((n, o) =>
      o.copy(requests = Some(n))
    ),
    value(
      "pause",
      "TIME",
      "pause between a response and the next request: 1s, 500ms-1500ms, normal:1s,500ms"
    )(
      OptionValues.pause
    )((p, o) => o.copy(pause = p)),
    note("\nOpen model: requests at a rate, which do not wait for responses"),
    value("rate", "N", "requests per second")(decimal)((n, o) => o.copy(rate = Some(n))),
    flag("poisson", "random intervals, as from independent users, instead of constant ones")(
      _.copy(poisson = true)
    ),
    value("connections", "N", "maximum number of connections (1000)")(number(1, 1000000))((n, o) =>
      o.copy(connections = Some(n))
    ),
    note("\nBoth models"),
    span("duration", "duration of the full load (10s)")((d, o) => o.copy(duration = Some(d))),
    time("ramp", "time over which the load increases, before the duration; not measured")((d, o) =>
      o.copy(ramp = Some(d))
    ),
    time("warm-up", "time under the same load before the measurement")((d, o) => o.copy(warmUp = d)),
    value("repeat", "N", "number of runs; several let compare distinguish changes from noise")(
      number(1, 1000)
    )((n, o) => o.copy(repeat = n))
  )

  private def search: Vector[Part] = Vector(
    note("\nSearch"),
    value(
      "objective",
      "CONDITIONS",
      "conditions that a tolerable load satisfies (\"p99 < 100 ms, errors < 0.1 %\")"
    )(
      Condition.parseAll
    )((c, o) => o.copy(objective = c)),
    option("step", "TIME", "duration of each step of the search (5s)")(aSecond)((d, o) => o.copy(step = d)),
    option("hold", "TIME", "duration at the limit that was found (20s)")(aSecond)((d, o) => o.copy(hold = d)),
    value("most-users", "N", "highest number of users to try (4096)")(number(2, 1000000))((n, o) =>
      o.copy(mostUsers = n)
    ),
    value("most-rate", "N", "highest rate to try, in requests per second (1000000)")(decimal)((n, o) =>
      o.copy(mostRate = n)
    ),
    value("connections", "N", "maximum number of connections in the open model (1000)")(number(1, 1000000))(
      (n, o) =>
        o.copy(connections = Some(n))
    ),
    flag("poisson", "random intervals between requests")(_.copy(poisson = true)),
    value(
      "pause",
      "TIME",
      "pause of a user between a response and the next request, to convert a rate to users"
    )(
      OptionValues.pause
    )((p, o) => o.copy(pause = p))
  )

  private def ladder: Vector[Part] = Vector(
    note("\nLadder"),
    value("rows", "N,N,...", "numbers of users, instead of the 17 defaults")(text =>
      text.split(',').toVector.foldLeft[Either[String, Vector[Int]]](Right(Vector.empty)) { (all, one) =>
        for { good <- all; n <- number(1, 1000000)(one.trim) } yield good :+ n
      }
    )((rows, o) => o.copy(rows = rows)),
    value("requests", "N", "requests per user (50)")(number(1, Int.MaxValue))((n, o) =>
      o.copy(requests = Some(n))
    ),
    value(
      "objective",
      "CONDITIONS",
      "conditions for the capacity for latency (\"p99 < 100 ms, errors < 0.1 %\")"
    )(
      Condition.parseAll
    )((c, o) => o.copy(objective = c))
  )

  private def comparing: Vector[Part] = Vector(
    note(""),
    value("tolerance", "PERCENT", "smaller changes are ignored (3 %)")(share)((s, o) =>
      o.copy(tolerance = s)
    ),
    value("confidence", "PERCENT", "confidence level (99 %)")(share)((s, o) =>
      o.copy(confidence = s)
    )
  )

  private def asking: Vector[Part] = Vector(
    note("\nRequests"),
    value("method", "NAME", "method (GET, or POST if there is a body)")(method)((m, o) =>
      o.copy(asking = o.asking.copy(method = m))
    ),
    repeated("header", "NAME: VALUE", "header; may be repeated")(OptionValues.header)((h, o) =>
      o.copy(asking = o.asking.copy(headers = o.asking.headers :+ h))
    ),
    value("body", "TEXT", "body of each request; @FILE reads it from a file")(BodyOption.read)((b, o) =>
      o.copy(asking = o.asking.copy(body = Some(b)))
    ),
    value(
      "size",
      "BYTES",
      "length of each message or body, instead of --body"
    )(number(0, 16 * 1024 * 1024))((n, o) => o.copy(asking = o.asking.copy(body = Some("x" * n)))),
    span("timeout", "time limit from when a request is due to the end of its response (10s)")((d, o) =>
      o.copy(asking = o.asking.copy(timeout = Some(d)))
    ),
    span("connect-timeout", "time limit for connecting (5s)")((d, o) =>
      o.copy(asking = o.asking.copy(connectTimeout = Some(d)))
    ),
    flag("no-keep-alive", "use a new connection for each request")(o =>
      o.copy(asking = o.asking.copy(keepAlive = false))
    ),
    value("pipelining", "N", "requests or messages in flight on one connection (1)")(number(1, 1000))(
      (n, o) =>
        o.copy(asking = o.asking.copy(pipelining = n))
    ),
    value("good-statuses", "N,N,...", "statuses that count as good (200,304)")(OptionValues.statuses)(
      (s, o) =>
        o.copy(asking = o.asking.copy(goodStatuses = Some(s)))
    ),
    value("cacert", "FILE", "PEM file of certificates to trust for https (those of the Java runtime)")(text =>
      if (text.isEmpty) Left("it is not a file") else Right(text)
    )((f, o) => o.copy(asking = o.asking.copy(trust = Some(Trust.Certificates(f))))),
    flag("insecure", "accept any certificate for https")(o =>
      o.copy(asking = o.asking.copy(trust = Some(Trust.Anybody)))
    ),
    value("tls-sessions", "new|resumed", "TLS sessions: new for each connection, or resumed (resumed)") {
      case "new"     => Right(false)
      case "resumed" => Right(true)
      case _         => Left("it must be new or resumed")
    }((resumes, o) => o.copy(asking = o.asking.copy(resumesTls = Some(resumes)))),
    value(
      "bands",
      "TIME,TIME,...",
      "also count good responses between these latencies"
    )(OptionValues.durations)((b, o) =>
      o.copy(asking = o.asking.copy(bands = b))
    ),
    value("loops", "N", "number of event loops of the generator (one per core)")(number(1, 1024))((n, o) =>
      o.copy(asking = o.asking.copy(loops = n))
    ),
    value("source", "ADDRESS,...", "local addresses to connect from; each has its own local ports")(text =>
      Right(text.split(',').map(_.trim).filter(_.nonEmpty).toVector)
    )((s, o) => o.copy(asking = o.asking.copy(sources = s)))
  )

  private def outputs(hlog: Boolean, junit: Boolean, html: Boolean = true): Vector[Part] =
    Vector(
      note("\nOutput files (checked before the run)"),
      file("json", "all results, as input for compare and merge")((p, o) =>
        o.copy(outputs = o.outputs.copy(json = Some(p)))
      ),
      file("csv", "table")((p, o) => o.copy(outputs = o.outputs.copy(csv = Some(p))))
    ) ++
      (if (html)
         Vector(file("html", "page with charts")((p, o) =>
           o.copy(outputs = o.outputs.copy(html = Some(p)))
         ))
       else Vector.empty) ++
      (if (hlog)
         Vector(file("hlog", "HdrHistogram log")((p, o) =>
           o.copy(outputs = o.outputs.copy(hlog = Some(p)))
         ))
       else Vector.empty) ++
      (if (junit)
         Vector(file("junit", "JUnit XML, with a test case for each assertion")((p, o) =>
           o.copy(outputs = o.outputs.copy(junit = Some(p)))
         ))
       else Vector.empty)

  private def assertions: Part =
    repeated(
      "assert",
      "CONDITIONS",
      "exit with status 1 unless these hold: p50 ... p99.9, max, min, mean, stddev in us, ms, s; errors in %; rate in /s. " +
        "Separate several by commas or repeat the option; \"search: p99 < 50 ms\" applies to one kind of request"
    )(Condition.parseAll)((c, o) => o.copy(assertions = o.assertions ++ c))

  private def examples(lines: String*): Part =
    note(lines.map(line => s"  needletail-load $line").mkString("\nExamples:\n", "\n", ""))

  // How options are read.

  private def target(name: String, what: String): Part =
    arg[String](name).text(what).action((text, o) => o.copy(target = text))

  private def files(name: String, what: String, least: Int, most: Int): Part =
    arg[String](name).text(what).minOccurs(least).maxOccurs(most)
      .validate(path(_).map(_ => ()))
      .action((text, o) => path(text).fold(_ => o, p => o.copy(files = o.files :+ p)))

  private def value[A](name: String, shape: String, what: String)(read: String => Either[String, A])(
      set: (A, Options) => Options
  ): Part = option(name, shape, what)(read)(set)

  private def repeated[A](name: String, shape: String, what: String)(read: String => Either[String, A])(
      set: (A, Options) => Options
  ): Part = option(name, shape, what)(read)(set).unbounded()

  private def option[A](name: String, shape: String, what: String)(read: String => Either[String, A])(
      set: (A, Options) => Options
  ): OParser[String, Options] =
    opt[String](name).valueName(shape).text(what)
      .validate(text => read(text).left.map(reason => s"--$name: $reason").map(_ => ()))
      .action((text, o) => read(text).fold(_ => o, set(_, o)))

  private def time(name: String, what: String)(set: (FiniteDuration, Options) => Options): Part =
    option(name, "TIME", what)(OptionValues.duration)(set)

  /** A duration above 0. */
  private def span(name: String, what: String)(set: (FiniteDuration, Options) => Options): Part =
    option(
      name,
      "TIME",
      what
    )(OptionValues.duration(_).filterOrElse(_ > Duration.Zero, "it must be more than 0"))(set)

  private def file(name: String, what: String)(set: (Path, Options) => Options): Part =
    option(name, "FILE", what)(path)(set)

  private def flag(name: String, what: String)(set: Options => Options): Part =
    opt[Unit](name).text(what).action((_, o) => set(o))

  private def path(text: String): Either[String, Path] =
    try Right(Paths.get(text))
    catch { case e: InvalidPathException => Left(s"$text is not a path: ${e.getReason}") }

  private def number(least: Int, most: Int)(text: String): Either[String, Int] =
    text.replace("_", "").toIntOption.filter(n => n >= least && n <= most)
      .toRight(s""""$text" is not a whole number${if (most == Int.MaxValue) s" from $least on"
        else s" from $least to $most"}""")

  /** At least a second, as results are by whole seconds. */
  private def aSecond(text: String): Either[String, FiniteDuration] =
    OptionValues.duration(text).filterOrElse(_ >= 1.second, "it must be at least 1s")

  private def decimal(text: String): Either[String, Double] =
    text.stripSuffix("/s").replace("_", "").toDoubleOption.filter(n => n > 0 && n <= 1e8)
      .toRight(s""""$text" is not a rate: write requests per second, such as 2000""")

  private def share(text: String): Either[String, Double] =
    text.stripSuffix("%").trim.toDoubleOption.filter(n => n >= 0 && n < 100).map(_ / 100)
      .toRight(s""""$text" is not a percentage: write a number such as 3""")

  private def method(text: String): Either[String, String] =
    if (text.nonEmpty && text.forall(c => c > ' ' && c < 0x7f && !"\"(),/:;<=>?@[\\]{}".contains(c)))
      Right(text)
    else Left(s""""$text" is not a method""")
}
