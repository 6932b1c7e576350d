package needletail.load.engine.machine

import java.lang.management.ManagementFactory

import scala.jdk.CollectionConverters._

import needletail.load.engine.count.Collector
import needletail.load.result.{Lateness, Openings, SelfFigures}

/**
 * Measures the load generator itself, between samples. To be used on the collector's thread.
 *
 * @param loops the system's ids of the loops' threads; -1 if unknown
 * @param target the measured server, if it is on this machine
 */
private[engine] final class SelfProbe(
    loops: Vector[Long],
    target: TargetProbe,
    proc: ProcFiles = ProcFiles.system
) {
  import SelfProbe._

  private var at     = System.nanoTime()
  private var cpu    = processTime
  private var busy   = loops.map(busyTime)
  private var ticks  = proc.processorTicks
  private var pauses = pauseMillis
  private var drops  = proc.listenOverflows
  private var served = target.ticks

  def sample(
      due: Long,
      users: Int,
      mostUsers: Int,
      open: Int,
      opened: Long,
      resent: Long,
      searchMillis: Long,
      lateness: Lateness,
      openings: Openings
  ): SelfFigures = {
    val (at0, cpu0, busy0, ticks0, pauses0, drops0, served0) = (at, cpu, busy, ticks, pauses, drops, served)
    at = System.nanoTime()
    cpu = processTime
    busy = loops.map(busyTime)
    Collector.giveWay()
    ticks = proc.processorTicks
    served = target.ticks
    Collector.giveWay()
    pauses = pauseMillis
    drops = proc.listenOverflows
    Collector.giveWay()
    val timeWait = proc.timeWait
    Collector.giveWay()
    val elapsed = math.max(1, at - at0).toDouble
    SelfFigures(
      due = due,
      users = users,
      open = open,
      opened = opened,
      resent = resent,
      lateness = lateness,
      cpu = (cpu - cpu0) / elapsed,
      busiestLoop = busy.zip(busy0).map { case (now, before) =>
        math.min(1, (now - before) / elapsed)
      }.maxOption
        .getOrElse(0.0),
      machineCpu =
        if (ticks._1 < 0 || ticks._2 == ticks0._2) -1
        else (ticks._1 - ticks0._1).toDouble / (ticks._2 - ticks0._2),
      pauseMillis = pauses - pauses0,
      timeWait = timeWait,
      listenOverflows = target.droppedOf(if (drops < 0 || drops0 < 0) -1 else drops - drops0),
      targetCpu =
        if (served < 0 || served0 < 0 || ticks._1 < 0 || ticks._2 == ticks0._2) -1
        else math.min(1, (served - served0).toDouble / (ticks._2 - ticks0._2)),
      openings = openings,
      searchMillis = searchMillis,
      mostUsers = mostUsers
    )
  }

  /** A loop that is runnable but has no processor counts as busy: it is late too. */
  private def busyTime(thread: Long): Long = {
    val (ran, waited) = proc.threadTimes(thread)
    math.max(0, ran) + math.max(0, waited)
  }
}

private[engine] object SelfProbe {
  private val system = ManagementFactory.getOperatingSystemMXBean match {
    case s: com.sun.management.OperatingSystemMXBean => s
    case other                                       =>
      throw new IllegalStateException(s"${other.getClass} does not report this process's processor time")
  }

  // Concurrent collectors have beans for their cycles in addition to those for pauses.
  private val collectors = ManagementFactory.getGarbageCollectorMXBeans.asScala.toVector
    .filterNot(bean => bean.getName.contains("Cycles") || bean.getName.contains("Concurrent"))

  /** Of the whole process, in nanoseconds. */
  def processTime: Long         = system.getProcessCpuTime
  private def pauseMillis: Long = collectors.map(bean => math.max(0, bean.getCollectionTime)).sum
}
