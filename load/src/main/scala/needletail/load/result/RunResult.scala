package needletail.load.result

/**
 * The measurements of one run: the plan, the machine, and the results second by second. Totals are sums of the
 * intervals, so that several generators' results are merged without loss (`RunResult.merge`).
 *
 * @param plan the plan, for reports
 * @param machine of the generators, one for each
 * @param kinds the names of the kinds of requests, in the order of `Interval.kinds`
 * @param startedMillis since 1970
 * @param loadMillis how long load was offered; answers may have arrived later
 * @param intervals in order, ramp included: one second each, but for those at the end of the ramp and of the load, which
 *   are ends of intervals too (a quarter of a second to one and a quarter, or less where one follows the other, or the
 *   start, sooner), and the last
 * @param reasons the message of the first failure of an outcome, by the outcome's name, if the name does not tell what
 *   was wrong
 * @param backlogMillis open: for how long after `loadMillis` requests that had become due before still waited in the
 *   generator for a connection, until the last of them was sent or given up; 0 if none did
 */
final case class RunResult(
    plan: PlanSummary,
    machine: Vector[Machine],
    kinds: Vector[String],
    startedMillis: Long,
    loadMillis: Long,
    intervals: Vector[Interval],
    reasons: Vector[(String, String)] = Vector.empty,
    backlogMillis: Long = 0
) {

  /** The measurements of one kind, from `fromMillis` after the start on, to leave out a ramp or a warm-up. */
  def figures(kind: Int, fromMillis: Long = 0): Figures =
    Figures.sum(intervals.filter(_.startMillis >= fromMillis).map(_.kinds(kind)))

  /** The measurements of all kinds. */
  def total(fromMillis: Long = 0): Figures = Figures.sum(kinds.indices.map(figures(_, fromMillis)))

  /** The lateness of the whole run. */
  def lateness: Lateness = Lateness.sum(intervals.map(_.self.lateness))

  /** The connections that were opened in the whole run. */
  def openings: Openings = Openings.sum(intervals.map(_.self.openings))

  /** The most users who were present at once; see `SelfFigures.mostUsers`. */
  def mostUsers: Int = intervals.map(_.self.mostUsers).maxOption.getOrElse(0)
}

/**
 * A summary of the plan for reports.
 *
 * @param targets as given: `http://host:port/path` or `unix:/path`
 * @param model "closed" or "open"
 * @param users closed: maximum of simulated users; open: maximum of connections
 * @param rate open: maximum of requests per second, of all kinds together; 0 in the closed model
 * @param rampMillis until all users have begun, or the rate is reached
 * @param detail further settings as name and value, in the order in which they are shown
 * @param bandNanos bounds between which good responses are counted by latency
 */
final case class PlanSummary(
    name: String,
    targets: Vector[String],
    model: String,
    users: Int,
    rate: Double,
    rampMillis: Long,
    durationMillis: Long,
    timeoutMillis: Long,
    keepAlive: Boolean,
    pipelining: Int,
    detail: Vector[(String, String)],
    bandNanos: Vector[Long] = Vector.empty
)

object PlanSummary {

  /** The detail that the generator shows a certificate of its own. */
  private[load] final val OwnCertificate = "own certificate"
}

/**
 * The machine of a generator, and its limits. Unknown numbers are -1, unknown names empty.
 *
 * @param cores those that the generator may use
 * @param processors all of the machine's
 */
final case class Machine(
    host: String,
    system: String,
    runtime: String,
    tool: String,
    cores: Int,
    firstPort: Int,
    lastPort: Int,
    timeWaitSeconds: Int,
    descriptors: Long,
    backlog: Int,
    sharedWithTarget: Boolean,
    warnings: Vector[String],
    processors: Int = -1
)

/**
 * What ended in one period of the run.
 *
 * @param startMillis since the start of the run
 * @param kinds in the order of `RunResult.kinds`
 */
final case class Interval(startMillis: Long, lengthMillis: Long, kinds: Vector[Figures], self: SelfFigures) {
  def total: Figures = Figures.sum(kinds)
}

/**
 * The generator's measurements of itself in an interval: whether its results are reliable.
 *
 * @param due requests that became due
 * @param users users at the end of it (closed), or requests in flight (open)
 * @param open connections open at the end of it
 * @param opened connections opened during it
 * @param resent requests sent once more on a new connection in it, since the server had closed the first one while it
 *   idled: no byte of an answer had arrived. Their latency still counts from when they were due
 * @param lateness of requests whose time was set in advance; only what the generator itself caused, so not the wait
 *   for a connection
 * @param cpu the generator's processor time as a share of one core, summed over cores: 1.5 is one and a half cores
 * @param busiestLoop the share of the time for which its busiest event loop had work, 0 to 1
 * @param machineCpu all processes' share of all cores, 0 to 1; -1 unknown
 * @param pauseMillis in garbage collection pauses
 * @param timeWait sockets in TIME_WAIT on the machine at the end of it; -1 unknown
 * @param listenOverflows connections that the kernel dropped during it because the target's accept queue was full; -1
 *   unknown, as for a target on another machine
 * @param targetCpu the share of the machine's cores that the target's processes used, 0 to 1; -1 unknown
 * @param openings how long opening connections took
 * @param searchMillis for how long the event loop with the most of it searched responses for patterns, in searches of
 *   more than 10 ms, during which it did nothing else
 * @param mostUsers closed: the most users who were present at once in it; of merged results the sum, which bounds it; 0
 *   if not known, and in the open model
 */
final case class SelfFigures(
    due: Long,
    users: Int,
    open: Int,
    opened: Long,
    resent: Long,
    lateness: Lateness,
    cpu: Double,
    busiestLoop: Double,
    machineCpu: Double,
    pauseMillis: Long,
    timeWait: Long,
    listenOverflows: Long,
    targetCpu: Double = -1,
    openings: Openings = Openings.none,
    searchMillis: Long = 0,
    mostUsers: Int = 0
)

/**
 * Connections that were opened: how long that took, in nanoseconds.
 *
 * @param connect without TLS, the lookup of a name included
 * @param tls     TLS handshakes, resumed or not
 * @param resumed handshakes that resumed a session
 */
final case class Openings(connect: Lateness, tls: Lateness, resumed: Long)

object Openings {
  val none: Openings = Openings(Lateness.none, Lateness.none, 0)

  def sum(parts: Iterable[Openings]): Openings =
    Openings(Lateness.sum(parts.map(_.connect)), Lateness.sum(parts.map(_.tls)), parts.map(_.resumed).sum)
}
