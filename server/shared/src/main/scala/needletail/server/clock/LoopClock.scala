package needletail.server.clock

import needletail.io.EventLoop

/** The clocks of an event loop. */
private[needletail] final class LoopClock(loop: EventLoop) extends Clock {
  def nowMillis: Long = loop.nowMillis
  def turnNanos: Long = loop.nowNanos
  def nanos: Long     = loop.readClock()

  override def dueNanos: Long       = loop.dueNanos
  override def processorNanos: Long = loop.processorNanos
  override def waits: Long          = loop.waits()
  override def delayNanos: Long     = loop.platform.delayNanos()

  override def handshakeNanos: Long       = loop.handshakes.spent
  override def handshakeNanosBefore: Long = loop.handshakes.spentBefore
  override def handshakeNanosLatest: Long = loop.handshakes.spentLatest

  def atTurnEnd(task: Runnable): Unit = loop.endOfTurn(task)
}
