package needletail.load.command

import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.util.Try

import needletail.io.Signals

/**
 * Handles Ctrl-C: load ends, and the program reports what was measured before it exits with the signal's status. A
 * second Ctrl-C ends the program at once.
 */
private[load] final class Interruption {
  @volatile private var asked = false
  private val reported        = new CountDownLatch(1)

  def happened: Boolean = asked

  /** Interrupts as a signal does. */
  def interrupt(): Unit = asked = true

  private val hook = new Thread(
    () => {
      interrupt()
      Signals.onTerminate(() => Runtime.getRuntime.halt(Interruption.Killed))
      reported.await(Interruption.Patience, TimeUnit.SECONDS)
      ()
    },
    "interruption"
  )

  /** Installs the signal handling. */
  def listen(): Unit = Runtime.getRuntime.addShutdownHook(hook)

  /** The report is complete: the program may exit. */
  def over(): Unit = {
    reported.countDown()
    Try(Runtime.getRuntime.removeShutdownHook(hook)) // throws while the program is exiting
    ()
  }
}

private object Interruption {

  /** The exit status of a program ended by SIGINT. */
  final val Killed = 130

  /** Seconds that pending answers and the reports may take. */
  final val Patience = 60L
}
