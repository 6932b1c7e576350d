package needletail.load.engine

import java.util.Locale

import needletail.io.Address
import needletail.load.engine.compiled.{ExecutablePlan, NameResolver, Target}
import needletail.load.engine.machine.MachineProbe
import needletail.load.plan.{Load, LoadPlan, PlanUrl, UserShares}
import needletail.load.result.Machine

/** Checks before the first request whether this machine can generate the load of a plan. */
object Preflight {

  /** A plan that needs more than this share of a limit of the machine causes a warning. */
  final val Tolerable = 0.8

  /** Requests per second that one core of an older machine can send and read, approximately. */
  final val EachCore = 40000

  /** Descriptors that a running program needs in addition to its connections. */
  private final val OwnDescriptors = 100

  /** Bytes of the heap that a user takes with its open connection, approximately, and each further pipelined request. */
  private final val UserBytes      = 2048L
  private final val PipelinedBytes = 256L

  /** Bytes of the heap that the program takes without users. */
  private final val OwnBytes = 32L * 1024 * 1024

  /** A message if there are more users than the memory of this program is enough for; `heap` in bytes. */
  def tooManyUsers(plan: LoadPlan, heap: Long = Runtime.getRuntime.maxMemory): Option[String] =
    plan.load match {
      case _: Load.Closed =>
        val each  = UserBytes + PipelinedBytes * (plan.pipelining - 1)
        val users = connections(plan)
        val most  = math.max(0, ((heap * Tolerable).toLong - OwnBytes) / each)
        if (users <= most) None
        else {
          val needed = ((users * each + OwnBytes) / Tolerable / (1024 * 1024)).toLong + 1
          Some(
            s"$users users take about $needed MB of memory, and the ${heap / (1024 * 1024)} MB that this program may use " +
              s"are enough for $most: give it more, as with JAVA_OPTS=-Xmx${needed}m, or run it on several machines"
          )
        }
      case _ => None
    }

  /** A message if a server's name has no address; None if all have one, or the plan cannot be run at all. */
  def unresolved(plan: LoadPlan, names: NameResolver = new NameResolver): Option[String] =
    ExecutablePlan.of(plan, names).toOption.flatMap(_.targets.find(!_.isResolved)).map(target =>
      s"the host of ${target.origin} has no address; check the name"
    )

  /** This machine's properties and limits, for a run of that plan, with the warnings of `check`. */
  def machine(plan: LoadPlan, names: NameResolver = new NameResolver): Machine = {
    val found = ExecutablePlan.of(plan, names).fold(_ => Vector.empty[Target], _.targets)
    val bare  = MachineProbe.of(found)
    bare.copy(warnings = check(plan, bare))
  }

  /** Warnings if the plan comes near to a limit of the machine or exceeds it. Unknown limits cause no warning. */
  def check(plan: LoadPlan, machine: Machine): Vector[String] =
    Vector(
      ports(plan, machine),
      descriptors(plan, machine),
      cores(plan, machine),
      backlog(plan, machine)
    ).flatten

  /** The highest rate at which connections can be opened continuously; None if not known, or unlimited. */
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
      connectionsPerSecond(plan, machine).flatMap { connections =>
        val most = "if this machine closes them before the server does, it can open " +
          s"${String.format(Locale.ROOT, "%,d", Long.box(math.round(connections)))} connections/s for long (${range(plan, machine)}, each held for ${machine.timeWaitSeconds} s after use)"
        plan.load match {
          case open: Load.Open =>
            // Over the time that ports are held, since those of an earlier time are free again.
            val rate = open.steps.map(s => math.max(s.from, s.to)).max
            val time =
              math.min(machine.timeWaitSeconds.toDouble, open.steps.map(_.duration.toMillis).sum / 1000.0)
            val share = rate * math.max(1, time) / portsInAll(plan, machine)
            if (share <= Tolerable) None
            else
              Some(
                s"${math.round(rate)} requests/s, each on a new connection, take up to ${math.round(100 * share)} % of the " +
                  s"local ports: $most"
              )
          case _ =>
            Some(s"connections are not kept alive: $most")
        }
      }

  private def range(plan: LoadPlan, machine: Machine): String = {
    val sources = if (plan.sources.size > 1) s" on ${plan.sources.size} addresses" else ""
    s"ports ${machine.firstPort} to ${machine.lastPort}$sources"
  }

  private def descriptors(plan: LoadPlan, machine: Machine): Option[String] = {
    val wanted = connections(plan) + OwnDescriptors
    if (machine.descriptors < 0 || wanted <= Tolerable * machine.descriptors) None
    else
      Some(
        s"${connections(plan)} connections come near to the ${machine.descriptors} descriptors " +
          "that this process may open (ulimit -n)"
      )
  }

  private def cores(plan: LoadPlan, machine: Machine): Option[String] = plan.load match {
    case open: Load.Open =>
      val rate     = open.steps.map(s => math.max(s.from, s.to)).max
      val isShared = machine.sharedWithTarget && machine.processors <= machine.cores
      val most     = machine.cores * EachCore / (if (isShared) 2 else 1)
      if (rate <= Tolerable * most) None
      else {
        val sharing = if (isShared) ", which the server has a share of" else ""
        Some(
          s"${math.round(rate)} requests/s are much for ${machine.cores} cores$sharing: expect about $most at most"
        )
      }
    case _ => None
  }

  /** A listener's queue is only known to be bounded by somaxconn if the server is on this machine. */
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
    PlanUrl.origins(plan).count(_.address.isInstanceOf[Address.Tcp])

  /** The maximum of concurrent connections. */
  private def connections(plan: LoadPlan): Long = plan.load match {
    case open: Load.Open     => open.connections.toLong
    case closed: Load.Closed => UserShares.of(plan.kinds, closed).map(_.toLong).sum
  }
}
