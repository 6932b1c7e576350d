package needletail.load.result

/**
 * What one run measured: what was asked of whom, on what machine, and what came of it second by second. Totals are
 * sums of the intervals, so that several generators' results join without loss (`RunResult.merge`).
 *
 * @param plan
 *   what was asked
 * @param machine
 *   of the generators, one for each
 * @param kinds
 *   the names of the kinds of requests, in the order of `Interval.kinds`
 * @param startedMillis
 *   since 1970
 * @param loadMillis
 *   how long load was offered; answers may have come later
 * @param intervals
 *   in order, one second each unless the last is shorter; ramp included
 * @param reasons
 *   what the first failure of an outcome came with, by the outcome's name, where that leaves open what was wrong
 */
final case class RunResult(
    plan: PlanSummary,
    machine: Vector[Machine],
    kinds: Vector[String],
    startedMillis: Long,
    loadMillis: Long,
    intervals: Vector[Interval],
    reasons: Vector[(String, String)] = Vector.empty
) {

  /** Of one kind, from `fromMillis` after the start on: what a ramp or a warm-up measured can be left out. */
  def figures(kind: Int, fromMillis: Long = 0): Figures =
    Figures.sum(intervals.filter(_.startMillis >= fromMillis).map(_.kinds(kind)))

  /** Of all kinds. */
  def total(fromMillis: Long = 0): Figures = Figures.sum(kinds.indices.map(figures(_, fromMillis)))

  /** Of the whole run. */
  def lateness: Lateness = Lateness.sum(intervals.map(_.self.lateness))

  /** Good answers in a second, over the time that load was offered. */
  def goodRate: Double = if (loadMillis == 0) 0 else total().good * 1000.0 / loadMillis
}

/**
 * What was asked, in words and figures that a report shows.
 *
 * @param targets
 *   as given: `http://host:port/path` or `unix:/path`
 * @param model
 *   "closed" or "open"
 * @param users
 *   closed: simulated users at most; open: connections at most
 * @param rate
 *   open: requests in a second at most, of all kinds together; 0 in the closed model
 * @param rampMillis
 *   until all users are there, or the rate is reached
 * @param detail
 *   further settings as name and value, in the order they are to be shown
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
    detail: Vector[(String, String)]
)

/** The machine a generator ran on, and what it allows. Unknown figures are -1, unknown names empty. */
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
    warnings: Vector[String]
)

/**
 * What ended in one stretch of the run.
 *
 * @param startMillis
 *   since the start of the run
 * @param kinds
 *   in the order of `RunResult.kinds`
 */
final case class Interval(startMillis: Long, lengthMillis: Long, kinds: Vector[Figures], self: SelfFigures) {
  def total: Figures = Figures.sum(kinds)
}

/**
 * What the generator saw of itself in an interval: whether its figures can be trusted.
 *
 * @param due
 *   requests that became due
 * @param users
 *   users at the end of it (closed), or requests under way (open)
 * @param open
 *   connections open at the end of it
 * @param opened
 *   connections opened during it
 * @param resent
 *   requests sent once more on a new connection in it, since the server had closed the first one while it idled: no
 *   octet of an answer had come. Their latency still counts from when they were due
 * @param lateness
 *   of requests whose time was set beforehand; only what the generator itself is guilty of, so not the wait for a
 *   connection
 * @param cpu
 *   the generator's processor time as a share of one core, summed over cores: 1.5 is one and a half cores
 * @param busiestLoop
 *   the share of the time for which its busiest event loop had work, 0 to 1
 * @param machineCpu
 *   all processes' share of all cores, 0 to 1; -1 unknown
 * @param pauseMillis
 *   in collector pauses
 * @param timeWait
 *   sockets in TIME_WAIT on the machine at the end of it; -1 unknown
 * @param listenOverflows
 *   connections the machine's kernel dropped from full accept queues during it, of any process; -1 unknown
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
    listenOverflows: Long
)
