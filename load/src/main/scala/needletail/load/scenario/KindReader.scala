package needletail.load.scenario

import java.nio.file.{InvalidPathException, Path}
import java.util.Locale
import java.util.regex.{Pattern, PatternSyntaxException}

import needletail.http.message.PercentCoding
import needletail.http.text.Grammar
import needletail.load.file.TextFile
import needletail.load.plan._

/**
 * Reads kinds of requests.
 *
 * @param target the server of requests without their own
 * @param headers of every request that has none with that name itself
 */
private[scenario] final class KindReader(
    path: Path,
    target: Option[String],
    headers: Vector[(String, Yaml)]
) {
  import KindReader._

  def kind(yaml: Yaml): Kind = {
    val fields = yaml.fields((KindFields ++ RequestFields): _*)
    val name   = fields.need("name").text
    val places =
      if (fields.has("requests")) {
        RequestFields.filter(fields.has).foreach { other =>
          fields.need(other).fail(s"'$other' belongs to one of the requests of kind '$name'")
        }
        fields.need("requests").sequence("a request")
      } else Vector(yaml)
    val feeders  = fields.get("feeders").fold(Vector.empty[Feeder])(_.list.map(feeder))
    val requests =
      if (fields.has("requests")) places.map(p => request(p.fields(RequestFields: _*)))
      else Vector(request(fields))
    val known = feeders.flatMap(_.columns).toSet ++ requests.flatMap(_.extractions.map(_.name))
    requests.zip(places).foreach { case (request, place) => checkNames(request, place, known) }
    Kind(
      name = name,
      requests = requests.head.copy(feeders = feeders) +: requests.tail,
      weight = fields.get("weight").fold(1.0)(_.double),
      users = fields.get("users").map(_.int(0)),
      pause = fields.get("pause").map(pause)
    )
  }

  private def checkNames(request: RequestTemplate, place: Yaml, known: Set[String]): Unit = {
    val texts = Vector(request.url) ++ request.headers.map(_._2) ++ request.body
    Hole.findAllMatchIn(texts.mkString("\n")).map(_.group(1)).find(!known(_)).foreach { name =>
      val there =
        if (known.isEmpty) "there are none" else s"there are ${known.toVector.sorted.mkString(", ")}"
      place.fail(s"no feeder or extraction defines '$name'; $there")
    }
  }

  private def request(fields: Fields): RequestTemplate = {
    val (method, place) = fields.one(Methods: _*).getOrElse(
      fields.owner.fail(s"${fields.owner.name} needs a method: one of ${Methods.mkString(", ")}")
    )
    val (body, implied) = content(fields)
    val own             = fields.get("headers").fold(Vector.empty[(String, Yaml)])(_.entries)
    val general         = headers.filterNot { case (name, _) => own.exists(_._1.equalsIgnoreCase(name)) }
    own.foreach { case (name, value) =>
      if (!Grammar.isToken(name)) value.fail(s"'$name' is not the name of a header")
    }
    val named = (general ++ own).map { case (name, value) => name -> value.text }
    val typed =
      implied.filterNot(_ => named.exists(_._1.equalsIgnoreCase("Content-Type"))).map("Content-Type" -> _)
    RequestTemplate(
      method = method.toUpperCase(Locale.ROOT),
      url = url(place),
      headers = named ++ typed,
      body = body,
      checks = fields.get("check").fold(Vector.empty[Check])(checks),
      extractions = fields.get("extract").fold(Vector.empty[Extraction])(_.entries.map { case (name, value) =>
        extraction(name, value)
      })
    )
  }

  private def url(place: Yaml): String = {
    val text  = place.text
    val whole =
      if (text.contains("://")) text
      else if (!text.startsWith("/"))
        place.fail(s"'$text' must begin with a slash, or with http:// or https://")
      else
        target match {
          case Some(server) => server.stripSuffix("/") + text
          case None         => place.fail("there is no target for this path")
        }
    PlanCheck.urlMistake(whole).foreach(place.fail)
    whole
  }

  /** The body and its media type. */
  private def content(fields: Fields): (Option[String], Option[String]) =
    fields.one("form", "json", "body") match {
      case Some(("form", form)) =>
        val pairs = form.entries.map { case (name, value) => s"${encoded(name)}=${encoded(value.text)}" }
        (Some(pairs.mkString("&")), Some("application/x-www-form-urlencoded"))
      case Some(("json", json)) => (Some(json.text), Some("application/json"))
      case Some((_, body))      => (Some(body.text), None)
      case None                 => (None, None)
    }

  /** Encoded except for the places of values, which are encoded when they are filled. */
  private def encoded(text: String): String = {
    val holes = Hole.findAllIn(text).toVector
    val texts = Hole.split(text + "|").toVector.map(PercentCoding.encode)
    texts.zipAll(
      holes,
      "",
      ""
    ).map { case (t, hole) => t + hole }.mkString.stripSuffix(PercentCoding.encode("|"))
  }

  private def checks(yaml: Yaml): Vector[Check] = {
    val fields = yaml.fields("status", "headers", "body-contains", "body-matches")
    Vector(
      fields.get("status").map(s => Check.Status(statuses(s))).toVector,
      fields.get("headers").toVector.flatMap(_.entries).map { case (name, value) =>
        Check.Header(name, value.text)
      },
      fields.get("body-contains").toVector.flatMap(_.list).map(t => Check.BodyContains(t.text)),
      fields.get("body-matches").toVector.flatMap(_.list).map(t => Check.BodyMatches(pattern(t)))
    ).flatten
  }

  private def extraction(name: String, yaml: Yaml): Extraction =
    if (yaml.isText) Extraction(name, None, pattern(yaml))
    else {
      val fields = yaml.fields("header", "pattern")
      Extraction(name, fields.get("header").map(_.text), fields.get("pattern").fold(".*")(pattern))
    }

  private def feeder(yaml: Yaml): Feeder = {
    val (file, random) =
      if (yaml.isText) (yaml, false)
      else {
        val fields = yaml.fields("file", "order")
        val order  = fields.get("order").exists { o =>
          o.text match {
            case "sequential" => false
            case "random"     => true
            case other        => o.fail(s"the order must be sequential or random, not '$other'")
          }
        }
        (fields.need("file"), order)
      }
    val place = KindReader.beside(path, file)
    val rows  =
      TextFile.read(place).flatMap(Csv.parse).fold(why => file.fail(s"feeder ${file.text}: $why"), identity)
    if (rows.size < 2)
      file.fail(s"feeder ${file.text}: there must be a row of names and at least one of values")
    rows.zipWithIndex.find(_._1.size != rows.head.size).foreach { case (row, i) =>
      file.fail(
        s"feeder ${file.text}: row ${i + 1} has ${row.size} values, and there are ${rows.head.size} names"
      )
    }
    rows.head.diff(rows.head.distinct).headOption.foreach(name =>
      file.fail(s"feeder ${file.text}: two columns have the name '$name'")
    )
    Feeder(rows.head, rows.tail, random)
  }
}

private[scenario] object KindReader {
  private val Methods       = Vector("get", "head", "post", "put", "patch", "delete", "options")
  private val RequestFields = Methods ++ Vector("headers", "form", "json", "body", "check", "extract")
  private val KindFields    = Vector("name", "users", "weight", "pause", "feeders", "requests")
  private val Hole          = """\$\{([^}]*)\}""".r

  /** A file that a scenario names, relative to the scenario. */
  def beside(scenario: Path, file: Yaml): Path =
    try scenario.resolveSibling(file.text)
    catch { case e: InvalidPathException => file.fail(s"'${file.text}' is not a path: ${e.getReason}") }

  def statuses(yaml: Yaml): Set[Int] = yaml.list.map { s =>
    val code = s.int(100)
    if (code > 599) s.fail(s"$code is not a status")
    code
  }.toSet

  /** A duration, `from` and `to`, or `mean` and `deviation`. */
  def pause(yaml: Yaml): Pause =
    if (yaml.isText) yaml.text match {
      case "none" => Pause.None
      case _      => Pause.Constant(yaml.duration(zero = true))
    }
    else {
      val fields = yaml.fields("from", "to", "mean", "deviation")
      if (fields.has("mean") || fields.has("deviation")) {
        List("from", "to").foreach(name => fields.one(name, "mean"))
        Pause.Normal(
          fields.need("mean").duration(zero = true),
          fields.need("deviation").duration(zero = true)
        )
      } else {
        val (from, to) = (fields.need("from").duration(zero = true), fields.need("to").duration(zero = true))
        if (to < from) yaml.fail("a pause's 'to' must not be less than its 'from'")
        Pause.Uniform(from, to)
      }
    }

  private def pattern(yaml: Yaml): String =
    try {
      Pattern.compile(yaml.text)
      yaml.text
    } catch {
      case e: PatternSyntaxException => yaml.fail(s"'${yaml.text}' is not a pattern: ${e.getDescription}")
    }
}
