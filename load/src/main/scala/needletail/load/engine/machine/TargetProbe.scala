package needletail.load.engine.machine

import java.util.concurrent.TimeUnit

import scala.util.control.NonFatal

/**
 * Information of the system about servers on this machine: the processor time of the processes that listen at certain
 * ports, and the connections that it dropped from their accept queues.
 *
 * @param ports none if the target is not on this machine
 * @param drops the number of drops so far, -1 if unknown; called rarely, as it may start a program
 */
private[engine] final class TargetProbe(
    ports: Set[Int],
    proc: ProcFiles = ProcFiles.system,
    drops: Set[Int] => Long = TargetProbe.drops
) {
  private val processes =
    new TargetProcesses(if (ports.isEmpty) Set.empty else proc.listeners(ports), proc)
  private var dropped = if (ports.isEmpty) -1L else drops(ports)

  /** Ticks of the processors that these processes have used; -1 if unknown. */
  def ticks: Long = processes.ticks

  /**
   * Connections dropped since the last call; -1 if unknown. The system is asked for the target's own number only if it
   * counted any on this machine, of whatever server.
   *
   * @param machine those of all servers since the last call; -1 if unknown
   */
  def droppedOf(machine: Long): Long =
    if (ports.isEmpty || machine < 0) -1
    else if (machine == 0) 0
    else {
      val before = dropped
      dropped = drops(ports)
      if (before < 0 || dropped < 0) -1 else math.max(0, dropped - before)
    }
}

private[engine] object TargetProbe {

  /** From `ss` (iproute2), as /proc has only the sum of all listeners. */
  private def drops(ports: Set[Int]): Long =
    try {
      val filter  = ports.map(port => s"sport = :$port").mkString(" or ")
      val process = new ProcessBuilder("ss", "-H", "-ltnm", filter).redirectErrorStream(true).start()
      process.getOutputStream.close()
      val timer =
        new Thread(() => if (!process.waitFor(5, TimeUnit.SECONDS)) { process.destroyForcibly(); () })
      timer.setDaemon(true)
      timer.start()
      val text = new String(process.getInputStream.readNBytes(MaxText), "ISO-8859-1") // ends with the process
      if (process.waitFor() == 0) dropsIn(text) else -1
    } catch { case NonFatal(_) => -1 }

  /** The sum of `d` in `skmem:(r0,rb131072,…,d0)` of each socket; -1 if there is none. */
  private[machine] def dropsIn(text: String): Long = {
    val found = Drops.findAllMatchIn(text).map(_.group(1).toLong).toVector
    if (found.isEmpty) -1 else found.sum
  }

  private val Drops         = """skmem:\([^)]*,d(\d{1,18})\)""".r
  private final val MaxText = 1024 * 1024
}
