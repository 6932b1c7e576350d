package needletail.load.scenario

import java.nio.file.Path

import needletail.load.plan.{ClientCertificate, Load, LoadPlan, Pause, PlanCheck, Trust}

/**
 * Reads plans. Throws `Mistake`. Files that a scenario names are relative to `path`.
 *
 * @param server the URL that stands in for the file's `target`, if any
 */
private[scenario] final class ScenarioReader(path: Path, server: Option[String]) {
  def plan(yaml: Yaml): LoadPlan = {
    val fields = yaml.fields(
      "name",
      "target",
      "timeout",
      "connect-timeout",
      "keep-alive",
      "pipelining",
      "loops",
      "sources",
      "good-statuses",
      "cacert",
      "insecure",
      "cert",
      "key",
      "tls-sessions",
      "headers",
      "users",
      "arrivals",
      "kinds"
    )
    val load = fields.one("users", "arrivals") match {
      case Some(("users", users)) => closed(users)
      case Some((_, arrivals))    => open(arrivals)
      case None                   => yaml.fail("there must be either users or arrivals")
    }
    val target = fields.get("target")
    target.foreach(server => PlanCheck.urlMistake(server.text).foreach(server.fail))
    server.foreach(url => PlanCheck.urlMistake(url).foreach(yaml.fail))
    val headers = fields.get("headers").fold(Vector.empty[(String, Yaml)])(_.entries)
    val kinds   = fields.need("kinds").sequence("a kind")
    val read    = kinds.map(new KindReader(path, server.orElse(target.map(_.text)), headers).kind)
    read.zip(kinds).groupBy(_._1.name).values.find(_.size > 1).foreach { same =>
      same(1)._2.fail(s"two kinds have the name '${same(1)._1.name}'")
    }
    val default = LoadPlan("", Vector.empty, load)
    val result  = LoadPlan(
      name =
        fields.get("name").fold(path.getFileName.toString.stripSuffix(".yaml").stripSuffix(".yml"))(_.text),
      kinds = read,
      load = load,
      timeout = fields.get("timeout").fold(default.timeout)(_.duration()),
      connectTimeout = fields.get("connect-timeout").fold(default.connectTimeout)(_.duration()),
      keepAlive = fields.get("keep-alive").fold(default.keepAlive)(_.boolean),
      pipelining = fields.get("pipelining").fold(default.pipelining)(_.int(1)),
      goodStatuses = fields.get("good-statuses").fold(default.goodStatuses)(KindReader.statuses),
      loops = fields.get("loops").fold(default.loops)(_.int(0)),
      sources = fields.get("sources").fold(default.sources)(_.list.map(_.text)),
      trust = trust(fields),
      certificate = certificate(fields),
      resumesTls = fields.get("tls-sessions").forall(resumes)
    )
    // Mistakes of one kind are reported with the kind's line, others with the scenario's.
    read.zip(kinds).foreach { case (kind, place) =>
      val alone = kind.copy(weight = 1, users = kind.users.map(_ => 1)) // it may be 0 beside others
      PlanCheck.mistake(result.copy(kinds = Vector(alone))).foreach(place.fail)
    }
    PlanCheck.mistake(result).foreach(yaml.fail)
    result
  }

  private def resumes(sessions: Yaml): Boolean = sessions.text match {
    case "resumed" => true
    case "new"     => false
    case _         => sessions.fail("must be new or resumed")
  }

  private def trust(fields: Fields): Trust = fields.one("cacert", "insecure") match {
    case Some(("cacert", file)) =>
      val trust = Trust.Certificates(KindReader.beside(path, file).toString)
      PlanCheck.trustMistake(trust).foreach(file.fail)
      trust
    case Some((_, any)) => if (any.boolean) Trust.Anybody else Trust.System
    case None           => Trust.System
  }

  private def certificate(fields: Fields): Option[ClientCertificate] =
    if (!fields.has("cert") && !fields.has("key")) None
    else {
      val (chain, key) = (fields.need("cert"), fields.need("key"))
      val own          =
        ClientCertificate(KindReader.beside(path, chain).toString, KindReader.beside(path, key).toString)
      PlanCheck.certificateMistake(own).foreach(chain.fail)
      Some(own)
    }

  private def closed(yaml: Yaml): Load.Closed = {
    val fields   = yaml.fields("count", "requests", "duration", "ramp", "pause")
    val requests = fields.get("requests").map(_.int(1))
    val duration = fields.get("duration").map(_.duration())
    if (requests.isEmpty && duration.isEmpty) yaml.fail("users need requests (of each), or a duration")
    Load.Closed(
      users = fields.get("count").fold(0)(_.int(0)),
      requests = requests,
      duration = duration,
      ramp = fields.get("ramp").fold(Load.Closed(0, None, None).ramp)(_.duration(zero = true)),
      pause = fields.get("pause").fold[Pause](Pause.None)(KindReader.pause)
    )
  }

  private def open(yaml: Yaml): Load.Open = {
    val fields = yaml.fields("rate", "duration", "steps", "distances", "connections")
    val steps  =
      if (fields.has("steps")) {
        List("rate", "duration").foreach(name => fields.one(name, "steps"))
        fields.need("steps").sequence("a step").map(step)
      } else {
        val rate = fields.need("rate").double
        Vector(Load.Step(rate, rate, fields.need("duration").duration()))
      }
    if (steps.forall(s => s.from == 0 && s.to == 0)) yaml.fail("the rate is 0 all the time")
    val random = fields.get("distances").exists { d =>
      d.text match {
        case "constant" => false
        case "random"   => true
        case other      => d.fail(s"distances must be constant or random, not '$other'")
      }
    }
    val default = Load.Open(steps, random)
    default.copy(connections = fields.get("connections").fold(default.connections)(_.int(1)))
  }

  private def step(yaml: Yaml): Load.Step = {
    val fields   = yaml.fields("rate", "from", "to", "duration")
    val duration = fields.need("duration").duration()
    if (fields.has("rate")) {
      List("from", "to").foreach(name => fields.one(name, "rate"))
      val rate = fields.need("rate").double
      Load.Step(rate, rate, duration)
    } else Load.Step(fields.need("from").double, fields.need("to").double, duration)
  }
}
