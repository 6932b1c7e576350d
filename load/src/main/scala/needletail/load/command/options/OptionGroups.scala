package needletail.load.command.options

import needletail.load.analysis.verdict.Condition
import needletail.load.command.options.OptionSyntax._
import needletail.load.command.options.OptionSyntax.builder.{checkConfig, failure, note, success}
import needletail.load.command.options.OptionValues._
import needletail.load.plan.Trust

/** The options of the commands, in groups with a heading each. */
private object OptionGroups {

  def load: Vector[Part] = Vector(
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
      pause
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

  def search: Vector[Part] = Vector(
    note("\nSearch"),
    value(
      "objective",
      "CONDITIONS",
      "conditions that a tolerable load satisfies (\"p99 < 100 ms, errors < 0.1 %\")"
    )(
      Condition.parseAll
    )((c, o) => o.copy(objective = c)),
    value("step", "TIME", "duration of each step of the search (5s)")(aSecond)((d, o) => o.copy(step = d)),
    value("hold", "TIME", "duration at the limit that was found (20s)")(aSecond)((d, o) => o.copy(hold = d)),
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
      pause
    )((p, o) => o.copy(pause = p))
  )

  def ladder: Vector[Part] = Vector(
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

  def comparing: Vector[Part] = Vector(
    note(""),
    value("tolerance", "PERCENT", "smaller changes are ignored (3 %)")(share)((s, o) =>
      o.copy(tolerance = s)
    ),
    value("confidence", "PERCENT", "confidence level (99 %)")(share)((s, o) =>
      o.copy(confidence = s)
    )
  )

  private def fileName(text: String): Either[String, String] =
    if (text.isEmpty) Left("it is not a file") else Right(text)

  def asking: Vector[Part] = Vector(
    note("\nRequests"),
    value("method", "NAME", "method (GET, or POST if there is a body)")(method)((m, o) =>
      o.copy(asking = o.asking.copy(method = Some(m)))
    ),
    repeated("header", "NAME: VALUE", "header; may be repeated")(header)((h, o) =>
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
    value("good-statuses", "N,N,...", "statuses that count as good (200,304)")(statuses)((s, o) =>
      o.copy(asking = o.asking.copy(goodStatuses = Some(s)))
    ),
    value("cacert", "FILE", "PEM file of certificates to trust for https (those of the Java runtime)")(
      fileName
    )((f, o) => o.copy(asking = o.asking.copy(trust = Some(Trust.Certificates(f))))),
    flag("insecure", "accept any certificate for https")(o =>
      o.copy(asking = o.asking.copy(trust = Some(Trust.Anybody)))
    ),
    value("cert", "FILE", "PEM file of the own certificate, for https servers that want one; needs --key")(
      fileName
    )((f, o) => o.copy(asking = o.asking.copy(certificate = Some(f)))),
    value("key", "FILE", "PEM file of its private key, without a password")(fileName)((f, o) =>
      o.copy(asking = o.asking.copy(key = Some(f)))
    ),
    checkConfig(o =>
      if (o.asking.certificate.isDefined == o.asking.key.isDefined) success
      else failure("--cert and --key must be given together")
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
    )(durations)((b, o) =>
      o.copy(asking = o.asking.copy(bands = b))
    ),
    value("loops", "N", "number of event loops of the generator (one per core)")(number(1, 1024))((n, o) =>
      o.copy(asking = o.asking.copy(loops = n))
    ),
    value("source", "ADDRESS,...", "local addresses to connect from; each has its own local ports")(text =>
      Right(text.split(',').map(_.trim).filter(_.nonEmpty).toVector)
    )((s, o) => o.copy(asking = o.asking.copy(sources = s)))
  )

  def outputs(hlog: Boolean, junit: Boolean, html: Boolean = true): Vector[Part] =
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

  def assertions: Part =
    repeated(
      "assert",
      "CONDITIONS",
      "exit with status 1 unless these hold: p50 ... p99.9, max, min, mean, stddev in us, ms, s; errors in %; rate in /s. " +
        "Separate several by commas or repeat the option; \"search: p99 < 50 ms\" applies to one kind of request"
    )(Condition.parseAll)((c, o) => o.copy(assertions = o.assertions ++ c))
}
