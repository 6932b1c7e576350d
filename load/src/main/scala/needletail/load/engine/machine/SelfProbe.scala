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
 * @param clock in nanoseconds
 * @param used processor time of this process in nanoseconds, which may advance by 10 ms at a time
 */
private[engine] final class SelfProbe(
    loops: Vector[Long],
    target: TargetProbe,
    proc: ProcFiles = ProcFiles.system,
    clock: () => Long = () => System.nanoTime(),
    used: () => Long = () => SelfProbe.processTime
) {
  import SelfProbe._

  private var readings = Vector(read()) // of the clocks, in order; as many as are needed
  private var pauses   = pauseMillis
  private var drops    = proc.listenOverflows

  /**
   * What was measured since the last sample. Shares of time are of at least a quarter of a second, so also of the time
   * before an interval that was shorter: the processors' clocks advance by 10 ms at a time, which can be more than the
   * whole of it.
   */
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
    val (pauses0, drops0) = (pauses, drops)
    val now               = read()
    val before            = readings.reverseIterator.find(now.at - _.at >= Shortest).getOrElse(readings.head)
    readings = readings.dropWhile(_ ne before) :+ now
    pauses = pauseMillis
    drops = proc.listenOverflows
    Collector.giveWay()
    val timeWait = proc.timeWait
    Collector.giveWay()
    val elapsed           = math.max(1, now.at - before.at).toDouble
    val ticks             = now.allTicks - before.allTicks
    val areTicksKnown     = now.busyTicks >= 0 && before.busyTicks >= 0 && ticks > 0
    val isTargetKnown     = before.target >= 0 && now.target >= before.target && areTicksKnown
    def share(some: Long) = some.toDouble / ticks
    SelfFigures(
      due = due,
      users = users,
      open = open,
      opened = opened,
      resent = resent,
      lateness = lateness,
      cpu = math.min(Runtime.getRuntime.availableProcessors.toDouble, (now.used - before.used) / elapsed),
      busiestLoop = now.loops.zip(before.loops).map { case (at, from) => math.min(1, (at - from) / elapsed) }
        .maxOption.getOrElse(0.0),
      machineCpu = if (areTicksKnown) share(now.busyTicks - before.busyTicks) else -1,
      pauseMillis = pauses - pauses0,
      timeWait = timeWait,
      listenOverflows = target.droppedOf(if (drops < 0 || drops0 < 0) -1 else drops - drops0),
      targetCpu = if (isTargetKnown) math.min(1, share(now.target - before.target)) else -1,
      openings = openings,
      searchMillis = searchMillis,
      mostUsers = mostUsers
    )
  }

  private def read(): Reading = {
    val at   = clock()
    val cpu  = used()
    val each = loops.map(busyTime)
    Collector.giveWay()
    val (busy, all) = proc.processorTicks
    val reading     = new Reading(at, cpu, each, busy, all, target.ticks)
    Collector.giveWay()
    reading
  }

  /** A loop that is runnable but has no processor counts as busy: it is late too. */
  private def busyTime(thread: Long): Long = {
    val (ran, waited) = proc.threadTimes(thread)
    math.max(0, ran) + math.max(0, waited)
  }
}

private[engine] object SelfProbe {

  /**
   * All clocks at one time.
   *
   * @param used processor time of this process, as `at` in nanoseconds
   * @param loops the time for which each had work, in nanoseconds
   * @param busyTicks of all processors, as `allTicks`; -1 if unknown
   * @param target ticks that the target has used; -1 if unknown
   */
  private final class Reading(
      val at: Long,
      val used: Long,
      val loops: Vector[Long],
      val busyTicks: Long,
      val allTicks: Long,
      val target: Long
  )

  /** A share of less time than this, in nanoseconds, would be chance. */
  private final val Shortest = 250L * 1000 * 1000

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
