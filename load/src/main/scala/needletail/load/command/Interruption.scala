package needletail.load.command

import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.util.Try

import needletail.io.Signals

/**
 * What Ctrl-C does: load ends, and the program still reports what was measured, before it goes with the status that
 * the virtual machine gives for the signal. Once more, and the program goes at once.
 */
private[load] final class Interruption {
  @volatile private var asked = false
  private val reported        = new CountDownLatch(1)

  def happened: Boolean = asked

  /** As a signal does. */
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

  /** From now on signals come here. */
  def listen(): Unit = Runtime.getRuntime.addShutdownHook(hook)

  /** The report is out: nothing keeps the program from ending. */
  def over(): Unit = {
    reported.countDown()
    Try(Runtime.getRuntime.removeShutdownHook(hook)) // refused while the program is ending
    ()
  }
}

private object Interruption {

  /** As of a program that SIGINT has ended. */
  final val Killed = 130

  /** Seconds that answers under way and the reports may take. */
  final val Patience = 60L
}
