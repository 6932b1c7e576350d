package needletail.load.engine.machine

import scala.annotation.tailrec

/**
 * The processes of a server on this machine: those that have one of its listening sockets open, and those that have
 * inherited it since, such as new workers.
 *
 * @param inodes of the sockets
 */
private[engine] final class TargetProcesses(inodes: Set[Long], proc: ProcFiles) {
  private var parents = Map.empty[Long, Long] // of each process of the server, its parent
  private var seen    = Set.empty[Long]       // all processes of the machine that have been looked at
  private var newest  = -1L                   // the last process that the machine had started by then
  find()

  /**
   * Ticks of the processors that they have used. Those of a worker that has ended are among its parent's. -1 if nothing
   * is known of the server, or if one has ended since the last call whose parent is not the server's: then what it has
   * used is not known, and the next call counts without it.
   */
  def ticks: Long = {
    find()
    // parents first: otherwise a worker that ends meanwhile could be counted twice
    count(parents.keys.toVector.sortBy(depth(_)), isKnown = true)
  }

  @tailrec private def count(processes: Vector[Long], isKnown: Boolean): Long = {
    val found = processes.flatMap(process => proc.processTicks(process).map(process -> _))
    if (found.size == processes.size) {
      parents = found.map { case (process, its) => process -> its.parent }.toMap
      if (isKnown && found.nonEmpty) found.map(_._2.ticks).sum else -1
    } else { // again, as the parents of those that have ended have their ticks now
      val alive = found.map(_._1)
      val rest  = alive.toSet
      count(alive, isKnown && processes.filterNot(rest).forall(process => rest(parents(process))))
    }
  }

  private def depth(process: Long, most: Int = MostGenerations): Int = parents.get(process) match {
    case Some(parent) if most > 0 && parents.contains(parent) => 1 + depth(parent, most - 1)
    case _                                                    => 0
  }

  /** Looks at the processes that are new, if the machine has started any. */
  private def find(): Unit = {
    val last = proc.lastProcess
    if (inodes.nonEmpty && (last < 0 || last != newest)) {
      newest = last
      val all = proc.processes
      parents ++= all.filter(process => !seen(process) && proc.hasOpen(process, inodes))
        .flatMap(process => proc.processTicks(process).map(process -> _.parent))
      seen = all.toSet
    }
  }

  /** More than any server has: processes whose ids were given away meanwhile could seem to be in a circle. */
  private final val MostGenerations = 32
}
