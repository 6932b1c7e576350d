package needletail.load.command.options

import scala.concurrent.duration._

import needletail.load.plan.{ClientCertificate, Kind, Load, LoadPlan, Pause, PlanUrl, RequestTemplate}

/** Makes load plans from command line options. */
private[command] object PlanFromOptions {

  /** The plan of a single run against a URL. */
  def run(options: Options): Either[String, LoadPlan] =
    for {
      url  <- OptionValues.url(options.target)
      load <- load(options)
    } yield plan(url, options.asking, load)

  def plan(url: String, asking: RequestOptions, load: Load): LoadPlan = {
    val isPost   = asking.body.nonEmpty && !PlanUrl.isWebSocket(url)
    val method   = asking.method.getOrElse(if (isPost) "POST" else "GET")
    val name     = if (PlanUrl.isWebSocket(url)) s"messages to $url" else s"$method $url"
    val template = RequestTemplate(method, url, asking.headers, asking.body)
    val plain    = LoadPlan(name, Vector(Kind("requests", Vector(template))), load)
    asked(plain, asking)
  }

  /** `plan` with the options for its requests applied. */
  def asked(plan: LoadPlan, asking: RequestOptions): LoadPlan = plan.copy(
    timeout = asking.timeout.getOrElse(plan.timeout),
    connectTimeout = asking.connectTimeout.getOrElse(plan.connectTimeout),
    keepAlive = plan.keepAlive && asking.keepAlive && !asking.headers.exists(OptionValues.closes),
    pipelining = if (asking.pipelining > 1) asking.pipelining else plan.pipelining,
    loops = if (asking.loops > 0) asking.loops else plan.loops,
    sources = if (asking.sources.nonEmpty) asking.sources else plan.sources,
    goodStatuses = asking.goodStatuses.getOrElse(plan.goodStatuses),
    trust = asking.trust.getOrElse(plan.trust),
    certificate = asking.certificate.zip(asking.key).map { case (chain, key) =>
      ClientCertificate(chain, key)
    }.orElse(plan.certificate),
    resumesTls = asking.resumesTls.getOrElse(plan.resumesTls),
    bands = if (asking.bands.nonEmpty) asking.bands else plan.bands
  )

  def load(options: Options): Either[String, Load] = {
    val ramp     = options.ramp.getOrElse(Duration.Zero)
    val duration = options.duration.getOrElse(10.seconds)
    options.rate match {
      case Some(_) if options.users.nonEmpty =>
        Left(
          "--rate and --users exclude each other (open and closed model); to limit the connections of a rate, use --connections"
        )
      case Some(_) if options.requests.nonEmpty =>
        Left("--requests is for users; a rate needs a --duration")
      case Some(_) if options.pause != Pause.None =>
        Left("--pause is for users; arrivals of a rate do not pause")
      case Some(rate) =>
        val climb = if (ramp > Duration.Zero) Vector(Load.Step(0, rate, ramp)) else Vector.empty
        Right(
          Load.Open(
            climb :+ Load.Step(rate, rate, duration),
            options.poisson,
            options.connections.getOrElse(1000)
          )
        )
      case None if options.poisson || options.connections.nonEmpty =>
        Left(
          s"--${if (options.poisson) "poisson" else "connections"} needs a --rate; each user has one connection"
        )
      case None if options.requests.nonEmpty && options.duration.nonEmpty =>
        Left("--requests and --duration exclude each other")
      case None =>
        val length = if (options.requests.nonEmpty) None else Some(ramp + duration)
        Right(Load.Closed(options.users.getOrElse(10), options.requests, length, ramp, options.pause))
    }
  }

  /** The mean of a pause. */
  def mean(pause: Pause): FiniteDuration = pause match {
    case Pause.None                    => Duration.Zero
    case Pause.Constant(time)          => time
    case Pause.Uniform(least, most)    => (least + most) / 2
    case Pause.Normal(mean, deviation) => folded(mean, deviation)
  }

  /** The mean pause of all users; None if kinds of requests have different ones. */
  def pause(plan: LoadPlan): Option[FiniteDuration] = plan.load match {
    case load: Load.Closed =>
      val pauses = plan.kinds.map(kind => mean(kind.pause.getOrElse(load.pause))).distinct
      if (pauses.size == 1) pauses.headOption else None
    case _ => None
  }

  /** The expected duration in milliseconds, and number of requests; 0 if not known. */
  def expected(plan: LoadPlan): (Long, Long) = plan.load match {
    case load: Load.Open   => (load.steps.map(_.duration.toMillis).sum, 0)
    case load: Load.Closed =>
      val users = math.max(load.users.toLong, plan.kinds.flatMap(_.users).map(_.toLong).sum)
      (load.duration.fold(0L)(_.toMillis), load.requests.fold(0L)(_ * users))
  }

  /** The mean of the absolute value of a normal distribution. */
  private def folded(mean: FiniteDuration, deviation: FiniteDuration): FiniteDuration = {
    val (m, s) = (mean.toNanos.toDouble, deviation.toNanos.toDouble)
    if (s == 0) mean
    else {
      val value = s * math.sqrt(2 / math.Pi) * math.exp(-m * m / (2 * s * s)) + m * (2 * normal(m / s) - 1)
      value.toLong.nanos
    }
  }

  /** The standard normal distribution, to 1e-7 (Abramowitz and Stegun, 26.2.17), for x from 0 on. */
  private def normal(x: Double): Double = {
    val t = 1 / (1 + 0.2316419 * x)
    val p =
      t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    1 - math.exp(-x * x / 2) / math.sqrt(2 * math.Pi) * p
  }
}
