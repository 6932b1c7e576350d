package needletail.async

import java.util.LinkedHashSet

/** What a loop runs when it has ended: see `Loop.atEnd`. Used on its thread. */
private[needletail] final class LastTasks {
  private val tasks = new LinkedHashSet[Runnable]

  def add(task: Runnable): Unit    = { tasks.add(task); () }
  def remove(task: Runnable): Unit = { tasks.remove(task); () }

  /**
   * Runs them by `run`, and those that they add. As some may add another each time, such as a call that is repeated
   * whenever it fails, there is an end to that: what is left then is never run.
   */
  def run(run: Runnable => Unit): Unit = {
    var rounds = LastTasks.Rounds
    while (rounds > 0 && !tasks.isEmpty) {
      val now = tasks.toArray(new Array[Runnable](0)) // a copy, as they may change it
      tasks.clear()
      for (task <- now) run(task)
      rounds -= 1
    }
  }
}

private object LastTasks {
  private final val Rounds = 100
}
