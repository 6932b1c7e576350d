package needletail.load.command.options

import scopt.OParser

import needletail.load.command.options.OptionGroups._
import needletail.load.command.options.OptionSyntax._
import needletail.load.command.options.OptionSyntax.builder._

/** Which arguments and options each command has, and its help text. */
private object CommandParser {

  def apply(command: String): OParser[Unit, Options] = {
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

  private def examples(lines: String*): Part =
    note(lines.map(line => s"  needletail-load $line").mkString("\nExamples:\n", "\n", ""))
}
