package needletail.load.analysis.verdict

import needletail.load.result.{Figures, Lateness, Openings, Outcome}

/** A possible cause of a result, as a text, and how far it affects a metric of this value; None if it does not. */
private[verdict] final case class BottleneckCheck(
    cause: String,
    weight: (Metric, Option[Double]) => Option[Limit]
) {
  def verdict(metric: Metric, figure: Option[Double]): Option[Verdict] =
    weight(metric, figure).map(Verdict(_, Vector(cause)))
}

/** Checks of everything that can distort a generator's results. */
private[verdict] final class BottleneckChecks(window: Window) {
  private val run    = window.run
  private val selves = (if (window.offered.nonEmpty) window.offered else run.intervals).map(_.self)

  /** Of all requests with a scheduled time: one that is sent when the last answer arrives is never late. */
  private val lateness = {
    val all  = Lateness.sum(selves.map(_.lateness)).histogram
    val rest = window.total.requests - all.getTotalCount
    if (rest > 0) all.recordValueWithCount(0, rest)
    all
  }
  private val ended = math.max(1, window.total.requests)
  private val cores = run.machine.map(m => math.max(0, m.cores)).sum

  /** Of the machines of all generators, which may not use all of them. */
  private val processors = math.max(1, run.machine.map(m => math.max(m.cores, m.processors)).sum)
  private val shared     = run.machine.exists(_.sharedWithTarget)
  private val any        = (_: Metric, _: Option[Double]) => true

  /** What is seen of processors within a short time is chance: a tick of the system's clock is 10 ms. */
  def all: Vector[BottleneckCheck] =
    Vector(
      noPort,
      portsNearlyGone,
      files,
      handshakes,
      if (handshakes.isEmpty) unsent else None, // more connections would be more handshakes
      if (window.isShort) None else loops,
      if (window.isShort) None else machineFull,
      late,
      rateMissed,
      pauses,
      longPause,
      costlyPatterns
    ).flatten

  private def noPort: Option[BottleneckCheck] = {
    val count = window.total.count(Outcome.NoFreePort)
    when(
      count > 0,
      whole(count),
      s"no free port: ${Quantity.counted(count, "connection")} could not be opened, $portArithmetic",
      any
    )
  }

  private def portsNearlyGone: Option[BottleneckCheck] = {
    val ports = run.machine.map(m => m.lastPort - m.firstPort + 1).filter(_ > 1).sum
    val most  = selves.map(_.timeWait).maxOption.getOrElse(-1L)
    when(
      !run.plan.keepAlive && ports > 0 && most >= ports * 0.9 && !portsOutlived(ports) &&
        window.total.count(Outcome.NoFreePort) == 0,
      Limit.Uncertain,
      s"ports nearly exhausted: $most sockets in TIME_WAIT, $portArithmetic",
      any
    )
  }

  /**
   * Whether more connections were opened than there are ports, within the time that a port is held. Then they were not
   * held here: the side that closes first has the socket in TIME_WAIT, and that was the server.
   */
  private def portsOutlived(ports: Int): Boolean = {
    val held   = run.machine.map(_.timeWaitSeconds).maxOption.filter(_ > 0).getOrElse(60)
    val opened = selves.map(_.opened)
    opened.sliding(held).exists(_.sum > ports)
  }

  /** The limit set by the local ports, for readers who do not know TIME_WAIT. */
  private def portArithmetic: String =
    run.machine.find(m => m.lastPort > m.firstPort && m.timeWaitSeconds > 0) match {
      case Some(machine) =>
        val ports   = machine.lastPort - machine.firstPort + 1
        val allowed = math.round(ports.toDouble / machine.timeWaitSeconds)
        s"as each closed connection keeps its local port for ${machine.timeWaitSeconds} s (TIME_WAIT), and " +
          s"$ports ports allow $allowed new connections a second to one address; " +
          "keep connections alive, or give more addresses to connect from"
      case None =>
        "as each closed connection keeps its local port for a while (TIME_WAIT); keep connections alive, or give " +
          "more addresses to connect from"
    }

  private def files: Option[BottleneckCheck] = {
    val count = window.total.count(Outcome.TooManyFiles)
    val limit = run.machine.map(_.descriptors).filter(_ > 0).minOption.fold("")(n => s" (the limit is $n)")
    when(
      count > 0,
      whole(count),
      s"too many files: ${Quantity.counted(count, "connection")} could not be opened$limit; raise ulimit -n",
      any
    )
  }

  /**
   * TLS handshakes of connections that were opened because requests waited, though fewer could have carried all: they
   * keep generator and server from requests, so that more of these wait. They are a cause of whatever made the generator
   * the limit then; otherwise, if they are many, of what is about as long as one of them.
   */
  private lazy val handshakes: Option[BottleneckCheck] = {
    val isOpen = run.plan.model == "open" && run.plan.keepAlive
    val times  = Openings.sum(if (isOpen) selves.map(_.openings) else Vector.empty).tls.histogram
    val count  = times.getTotalCount
    val took   = times.getValueAtPercentile(50).toDouble
    val share  = count.toDouble / ended
    val own = (if (window.isShort) Vector.empty else Vector(loops, machineFull)) ++ Vector(unsent, rateMissed)
    val least  = if (own.flatten.nonEmpty) 0.01 else 0.05
    val enough = connectionsNeeded.filter(_ * generators < math.min(run.plan.users.toLong, count))

    def weight(metric: Metric, figure: Option[Double]): Option[Limit] = {
      val limits = (own :+ late).flatten.flatMap(_.weight(metric, figure))
      val isLong = figure.exists(_ <= took * 5)
      limits.maxByOption(_.rank).orElse(metric match {
        case Metric.Percentile(rank) if isLong && 1 - rank / 100 <= share => Some(Limit.Uncertain)
        case Metric.Max if isLong                                         => Some(Limit.Uncertain)
        case _                                                            => None
      })
    }

    if (count < FewHandshakes || share < least) None
    else
      enough.map { number =>
        BottleneckCheck(
          s"TLS handshakes: ${Quantity.counted(count, "TLS handshake")} were made under load, and each took " +
            s"${Quantity.time(took)} in the median, which keeps generator and server from requests; try " +
            s"--connections ${Quantity.count(number).replace(",", "")}",
          weight
        )
      }
  }

  private def generators: Int = math.max(1, run.machine.size)

  /**
   * How many connections each generator needed, by Little's law, with as many again to spare: from the rate, and the time
   * of most requests, or their mean where a few take far longer, in the second in which that was shortest, before or after
   * handshakes delayed them.
   */
  private def connectionsNeeded: Option[Long] =
    window.offered.map(interval => Figures.sum(interval.kinds).service).filter(_.getTotalCount >= 10)
      .map(times => math.max(times.getValueAtPercentile(75).toDouble, times.getMean)).minOption.map { nanos =>
        math.max(LeastConnections, math.ceil(2 * window.dueRate * nanos / 1e9 / generators).toLong)
      }

  /**
   * Requests that found no connection free. If answers took longer than at the beginning, or did not come at all, the
   * server occupied them; otherwise more connections might have achieved more, or the same if they had been open: over TLS
   * few are opened at a time.
   */
  private def unsent: Option[BottleneckCheck] = {
    val count = window.total.count(Outcome.Unsent)
    if (count * 1000 < ended) None
    else if (slowedDown || window.total.count(Outcome.TimedOut) * 1000 >= ended) None
    else
      when(
        true,
        if (window.total.count(Outcome.Good) == 0) Limit.Uncertain else Limit.Client,
        s"too few connections: ${Quantity.counted(count, "request")} became due when " +
          (if (fewOpened)
             s"none was free of the ${Quantity.count(mostOpen)} that had been opened, while answers took no longer than " +
               "at the beginning; over TLS each event loop opens only few at a time: raise the rate slowly (--ramp)"
           else
             (if (run.plan.users == 1) "the only connection was"
              else s"all ${Quantity.count(run.plan.users.toLong)} connections were") +
               " in use, while answers took no longer than at the beginning; allow more connections"),
        any
      )
  }

  private def mostOpen: Long = run.intervals.map(_.self.open.toLong).maxOption.getOrElse(0L)

  /** Whether fewer TLS connections than allowed were ever open. */
  private def fewOpened: Boolean =
    mostOpen < run.plan.users && Openings.sum(
      run.intervals.map(_.self.openings)
    ).tls.histogram.getTotalCount > 0

  /**
   * Whether, for any kind, the median is at least twice that of the first requests, which found connections and server
   * free.
   */
  private def slowedDown: Boolean = run.kinds.indices.exists { kind =>
    val services = run.intervals.map(_.kinds(kind).service).filter(_.getTotalCount >= 10)
    services.headOption.exists { first =>
      services.map(_.getValueAtPercentile(50)).max >= first.getValueAtPercentile(1) * 2
    }
  }

  private def loops: Option[BottleneckCheck] = {
    val busy = median(selves.map(_.busiestLoop))
    when(
      busy >= 0.8,
      if (busy >= 0.95) Limit.Client else Limit.Uncertain,
      s"busy event loops: the generator's busiest one had work for ${percent(busy)} of the time",
      (metric, _) => metric != Metric.Errors || timedOut
    )
  }

  private def machineFull: Option[BottleneckCheck] = {
    // the clocks are not read at the same moment, so the sum can exceed 1
    val machine = math.min(1, median(selves.map(_.machineCpu).filter(_ >= 0)))
    val own     = if (cores == 0) 0.0 else math.min(1, median(selves.map(_.cpu)) / cores)
    val isOwn   = own >= 0.9 && cores < processors // which may be all that is full
    val limit   =
      if (if (isOwn) own < 0.95 else machine < 0.95 || shared && own < 0.5) Limit.Uncertain else Limit.Client
    val whose =
      if (shared) s"generator and server share a machine whose processors" else "the generator's processors"
    when(
      machine >= 0.9 || own >= 0.9,
      limit,
      if (isOwn)
        s"processors full: the generator may use $cores of $processors, which it kept ${percent(own)} busy; all were " +
          s"${percent(machine)} busy, ${occupants(machine, own * cores / processors)}"
      else
        s"machine full: $whose were ${percent(math.max(machine, own))} busy, ${occupants(machine, own * cores / processors)}",
      (metric, _) => metric != Metric.Errors || timedOut
    )
  }

  /** Who used the processors: on a shared machine also the server, if the system reports its processes. */
  private def occupants(machine: Double, own: Double): String = {
    val server = selves.map(_.targetCpu).filter(_ >= 0)
    if (shared && server.isEmpty)
      s"${percent(own)} with the generator, the rest with the server and other programs"
    else {
      val served = if (shared) median(server) else 0.0
      val others = math.max(0, machine - own - served)
      val parts  = Vector(s"${percent(own)} with the generator") ++
        (if (shared) Vector(s"${percent(served)} with the server") else Vector.empty)
      s"${parts.mkString(", ")} and ${percent(others)} with other programs"
    }
  }

  /** Requests that were sent later than due, compared with the metric that includes the delay. */
  private def late: Option[BottleneckCheck] = {
    val p50  = lateness.getValueAtPercentile(50).toDouble
    val p99  = lateness.getValueAtPercentile(99).toDouble
    val most = lateness.getMaxValue.toDouble

    def part(metric: Metric): Double = metric match {
      case Metric.Percentile(percent) => lateness.getValueAtPercentile(percent).toDouble
      case Metric.Mean                => lateness.getMean
      case Metric.Max                 => most
      case Metric.Deviation           => lateness.getStdDeviation
      case _                          => 0
    }

    def share(nanos: Double, figure: Option[Double]): Double =
      if (nanos < LeastLateness) 0 else figure.fold(0.0)(nanos / math.max(1, _))

    def text(which: String, nanos: Double) =
      s"late: the generator sent $which request ${Quantity.time(nanos)} after it was due"
    val one   = if (most >= 2 * math.max(p99, LeastLateness)) s", and one ${Quantity.time(most)}" else ""
    val cause =
      if (p50 >= LeastLateness) text("every second", p50) + one
      else if (p99 >= LeastLateness) text("every hundredth", p99) + one
      else text("at least one", most)

    if (math.max(p99, most) < LeastLateness) None
    else
      Some(
        BottleneckCheck(
          cause,
          (metric, figure) => {
            val made = share(part(metric), figure)
            // a lateness of half of the value determines it
            if (made >= 0.5) Some(Limit.Client) else if (made >= 0.2) Some(Limit.Uncertain) else None
          }
        )
      )
  }

  private def rateMissed: Option[BottleneckCheck] = {
    val p50 = lateness.getValueAtPercentile(50).toDouble
    when(
      p50 >= 100e6,
      Limit.Client,
      s"behind schedule: the generator sent requests ${Quantity.time(p50)} late in the median",
      (metric, _) => metric == Metric.Rate
    )
  }

  private def pauses: Option[BottleneckCheck] = {
    val millis = selves.map(_.pauseMillis).sum
    // a long one may extend beyond the period
    val share = if (window.seconds <= 0) 0 else math.min(1, millis / 1000.0 / window.seconds)
    when(
      share >= 0.01,
      if (share >= 0.1) Limit.Client else Limit.Uncertain,
      s"collector pauses: the generator was stopped for ${percent(share)} of the time, ${Quantity.count(millis)} ms in all",
      (metric, _) =>
        metric match {
          case Metric.Errors           => false
          case Metric.Percentile(rank) => share >= 0.1 || 1 - rank / 100 <= share
          case Metric.Max              => true
          case _                       => share >= 0.1
        }
    )
  }

  private def longPause: Option[BottleneckCheck] = {
    val longest = selves.map(_.pauseMillis).maxOption.getOrElse(0L)
    when(
      longest >= 1,
      Limit.Uncertain,
      s"collector pauses: the generator was stopped for up to $longest ms in a second",
      (metric, figure) =>
        metric match {
          case Metric.Max              => figure.exists(_ <= longest * 2e6)
          case Metric.Percentile(rank) => rank > 99 && figure.exists(_ <= longest * 2e6)
          case _                       => false
        }
    )
  }

  /** Responses that arrived meanwhile on that loop were read late, so that the server seems slower than it is. */
  private def costlyPatterns: Option[BottleneckCheck] = {
    val millis = selves.map(_.searchMillis).sum
    val share  = if (window.seconds <= 0) 0 else math.min(1, millis / 1000.0 / window.seconds)
    when(
      millis > 0,
      Limit.Uncertain,
      s"costly patterns: searching responses for patterns kept the generator's loop with the most of it from others for " +
        s"${Quantity.count(millis)} ms, ${percent(share)} of the time",
      (metric, _) =>
        metric match {
          case Metric.Errors           => timedOut
          case Metric.Percentile(rank) => share >= 0.1 || 1 - rank / 100 <= share
          case Metric.Max              => true
          case _                       => share >= 0.1
        }
    )
  }

  /** Then errors depend on time too, and a slow generator may have caused them. */
  private lazy val timedOut: Boolean =
    window.total.count(Outcome.TimedOut) + window.total.count(Outcome.ConnectTimedOut) > 0

  private def whole(count: Long): Limit = if (count * 1000 >= ended) Limit.Client else Limit.Uncertain

  private def when(
      is: Boolean,
      limit: Limit,
      text: => String,
      touches: (Metric, Option[Double]) => Boolean
  ): Option[BottleneckCheck] = if (is)
    Some(BottleneckCheck(text, (metric, figure) => if (touches(metric, figure)) Some(limit) else None))
  else None

  private def median(values: Vector[Double]): Double =
    if (values.isEmpty) 0 else values.sorted.apply(values.size / 2)

  private def percent(share: Double): String = Quantity.share(share)

  /** So few handshakes explain nothing. */
  private final val FewHandshakes = 20

  /** The fewest that are recommended, for what comes at the same time by chance. */
  private final val LeastConnections = 16L

  /** In nanoseconds: the imprecision of a timer is not suspicious. */
  private final val LeastLateness = 1e6
}
