package needletail.load.engine

import needletail.load.plan.{Load, LoadPlan, Trust}
import needletail.load.result.Machine

/** What can be known before the first request: is this machine able to ask what the plan wants? */
object Preflight {

  /** A plan that asks for more than this share of what the machine can do is warned about. */
  final val Tolerable = 0.8

  /** Requests in a second that one core sends and reads, about: what one does that is not of the newest. */
  final val EachCore = 40000

  /** Descriptors that a running program needs beside its connections. */
  private final val OwnDescriptors = 100

  /** What is wrong with a plan, in words; None for one that can be run. */
  def mistake(plan: LoadPlan): Option[String] = Compiled.of(plan, resolve = false).left.toOption

  /** What is wrong with a URL, in words; None for one that can be asked. */
  def urlMistake(url: String): Option[String] = Compiled.urlMistake(url)

  /** What is wrong with the certificates that are to be trusted, in words; None where that can be done. */
  def trustMistake(trust: Trust): Option[String] = Compiled.trustMistake(trust)

  /** Which server's name has no address, in words. It asks the resolver, and so takes its time. */
  def unresolved(plan: LoadPlan): Option[String] =
    Compiled.of(plan).toOption.flatMap(_.targets.find(!_.isResolved)).map(target =>
      s"the host of ${target.origin} has no address; is its name right?"
    )

  /** What this machine is and allows, for a run of that plan, with the warnings of `check`. */
  def machine(plan: LoadPlan): Machine = {
    val found = Compiled.of(plan).fold(_ => Vector.empty[Target], _.targets)
    val bare  = MachineProbe.of(found)
    bare.copy(warnings = check(plan, bare))
  }

  /** Where the plan comes near to what the machine can ask, or beyond it. Unknown limits are not warned about. */
  def check(plan: LoadPlan, machine: Machine): Vector[String] =
    Vector(
      ports(plan, machine),
      descriptors(plan, machine),
      cores(plan, machine),
      backlog(plan, machine)
    ).flatten

  /** The highest rate at which connections can be opened for long; None where it is not known, or without bound. */
  def connectionsPerSecond(plan: LoadPlan, machine: Machine): Option[Double] =
    if (machine.firstPort < 0 || machine.timeWaitSeconds <= 0 || tcpTargets(plan) == 0) None
    else Some(portsInAll(plan, machine).toDouble / machine.timeWaitSeconds)

  private def ports(plan: LoadPlan, machine: Machine): Option[String] =
    if (machine.firstPort < 0 || tcpTargets(plan) == 0) None
    else if (plan.keepAlive) {
      val wanted = connections(plan)
      val ports  = portsInAll(plan, machine)
      if (wanted <= Tolerable * ports) None
      else
        Some(s"$wanted connections need as many local ports, and there are $ports (${range(plan, machine)})")
    } else
      connectionsPerSecond(plan, machine).flatMap { most =>
        val held = s"${range(plan, machine)}, each held for ${machine.timeWaitSeconds} s after use"
        plan.load match {
          case open: Load.Open =>
            // Over as long as ports are held, since those of an earlier time are free again.
            val rate = open.steps.map(s => math.max(s.from, s.to)).max
            val time =
              math.min(machine.timeWaitSeconds.toDouble, open.steps.map(_.duration.toMillis).sum / 1000.0)
            val share = rate * math.max(1, time) / portsInAll(plan, machine)
            if (share <= Tolerable) None
            else
              Some(
                f"$rate%.0f requests/s, each on a new connection, take ${100 * share}%.0f %% of the local ports: " +
                  f"for long, this machine opens $most%.0f connections/s ($held)"
              )
          case _ =>
            Some(
              f"connections are not kept alive: for long, this machine opens $most%.0f of them in a second ($held)"
            )
        }
      }

  private def range(plan: LoadPlan, machine: Machine): String = {
    val sources = if (plan.sources.size > 1) s" on ${plan.sources.size} addresses" else ""
    s"ports ${machine.firstPort} to ${machine.lastPort}$sources"
  }

  private def descriptors(plan: LoadPlan, machine: Machine): Option[String] = {
    val wanted = connections(plan).toLong + OwnDescriptors
    if (machine.descriptors < 0 || wanted <= Tolerable * machine.descriptors) None
    else
      Some(
        s"${connections(plan)} connections come near to the ${machine.descriptors} descriptors " +
          "that this process may open (ulimit -n)"
      )
  }

  private def cores(plan: LoadPlan, machine: Machine): Option[String] = plan.load match {
    case open: Load.Open =>
      val rate = open.steps.map(s => math.max(s.from, s.to)).max
      val most = machine.cores * EachCore / (if (machine.sharedWithTarget) 2 else 1)
      if (rate <= Tolerable * most) None
      else {
        val sharing = if (machine.sharedWithTarget) ", which the server has a share of" else ""
        Some(f"$rate%.0f requests/s are much for ${machine.cores} cores$sharing: expect about $most at most")
      }
    case _ => None
  }

  /** A listener's queue is only known to be bounded by somaxconn where the server is on this machine. */
  private def backlog(plan: LoadPlan, machine: Machine): Option[String] = plan.load match {
    case closed: Load.Closed if machine.sharedWithTarget && closed.ramp.toMillis == 0 =>
      val users = connections(plan)
      if (machine.backlog <= 0 || users <= Tolerable * machine.backlog) None
      else
        Some(
          s"$users users connect at the same moment, and the system holds ${machine.backlog} connections at most " +
            "that a server has not accepted yet (net.core.somaxconn): give them a ramp"
        )
    case _ => None
  }

  private def portsInAll(plan: LoadPlan, machine: Machine): Long =
    (machine.lastPort - machine.firstPort + 1).toLong * math.max(1, plan.sources.size) * tcpTargets(plan)

  private def tcpTargets(plan: LoadPlan): Int =
    Compiled.of(plan, resolve = false).fold(_ => 0, _.targets.count(_.isTcp))

  /** At the same time at most. */
  private def connections(plan: LoadPlan): Int = plan.load match {
    case open: Load.Open     => open.connections
    case closed: Load.Closed =>
      Compiled.of(plan, resolve = false).fold(_ => closed.users, ClosedWorker.usersOf(_, closed).sum)
  }
}
