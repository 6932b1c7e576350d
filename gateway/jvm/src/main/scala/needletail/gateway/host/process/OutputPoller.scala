package needletail.gateway.host.process

import java.util.concurrent.locks.LockSupport

import needletail.io.EventLoop

/**
 * Polls the output of all programs on one thread, and never blocks on one of them: a blocking read could not be ended
 * if a process that a program has left behind holds its pipe open, and Java's selectors do not support pipes. While
 * there is activity it polls every 200 µs, later every 5 ms; without programs it sleeps. The drawback: the end of an
 * output is seen only with the end of its program.
 *
 * When a program ends, Java itself reads what is in its pipes and closes them, so that a process that was left behind
 * and keeps writing is ended by SIGPIPE.
 */
private[host] object OutputPoller {
  private final val QuickNanos = 200L * 1000
  private final val SlowNanos  = 5L * 1000 * 1000
  private final val BusyNanos  = 30L * 1000 * 1000 // since the last activity

  private val programs                 = new java.util.concurrent.ConcurrentLinkedQueue[JvmProgram]
  @volatile private var thread: Thread = null

  /** Throws what `Thread.start` does if there is no thread for it; then it has not added the program. */
  def add(program: JvmProgram): Unit = {
    start()
    programs.add(program)
    wake()
  }

  def wake(): Unit = LockSupport.unpark(thread)

  private def start(): Unit = if (thread == null) synchronized {
    if (thread == null) {
      val fresh = new Thread(() => run(), "needletail-programs")
      fresh.setDaemon(true)
      fresh.start()
      thread = fresh
    }
  }

  private def giveUp(program: JvmProgram, cause: Throwable): Unit =
    try program.giveUp(cause)
    catch { case e: Throwable => EventLoop.report("a program could not be given up", e) }

  private def run(): Unit =
    while (true) {
      if (programs.isEmpty) LockSupport.park(this)
      val now  = System.nanoTime()
      var last = now - BusyNanos
      val all  = programs.iterator
      while (all.hasNext) {
        val program = all.next()
        val over    =
          try program.step(now)
          catch {
            case e: Throwable => // any error: the other programs continue
              EventLoop.report("a program's output could not be read", e)
              giveUp(program, e)
              true
          }
        if (over) all.remove()
        else if (program.lastSeen - last > 0) last = program.lastSeen
      }
      if (!programs.isEmpty)
        LockSupport.parkNanos(this, if (now - last < BusyNanos) QuickNanos else SlowNanos)
    }
}
