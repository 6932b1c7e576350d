package needletail.load.command

import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.util.Try

/**
 * What Ctrl-C does: load ends, and the program still reports what was measured, before it goes with the status that
 * the virtual machine gives for the signal.
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

  /** Seconds that answers under way and the reports may take. */
  final val Patience = 60L
}
