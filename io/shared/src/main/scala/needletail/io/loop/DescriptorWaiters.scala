package needletail.io.loop

/** What has to wait until its loop has closed a descriptor: accepting connections while there are none left. */
private[io] final class DescriptorWaiters {
  private var tasks: List[Runnable] = Nil

  /** Runs `task` once after the next close. A task that waits already is not added again. */
  def add(task: Runnable): Unit = if (!tasks.contains(task)) tasks = task :: tasks

  /** A descriptor has been closed. */
  def closed(): Unit =
    if (tasks.nonEmpty) {
      val waiting = tasks
      tasks = Nil
      waiting.foreach(_.run())
    }
}
