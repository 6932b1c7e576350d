package needletail.server.connection

import scala.concurrent.{Await, Promise}
import scala.concurrent.duration._

import needletail.io.EventLoops
import needletail.io.loop.LoopMemory
import needletail.io.platform.Fallible
import needletail.server.operations.LoopCounts
import needletail.testing.Suite

/** Memory is reclaimed from all who are due, whatever the code of one of them throws. */
class FailedReliefSuite extends Suite {

  /** A connection with so many bytes, which are released, or are not. */
  private final class Holder(memory: LoopMemory, bytes: Long, failure: Throwable)
      extends ServedConnection(null) {
    var isRelieved: Boolean = false
    var told: Throwable     = null

    private[needletail] override def eachHeld(f: HeldMemory => Unit): Unit = f(held)

    private val held = new HeldMemory with Fallible {
      private[needletail] def heldForPeer: Long    = if (isRelieved) 0 else bytes
      private[needletail] def holdsUnread: Boolean = false
      private[needletail] def isOutput: Boolean    = false
      private[needletail] def bytesSent: Long      = 0
      private[needletail] def outputTaken: Long    = 0
      private[needletail] def offerOutput(): Unit  = ()
      private[needletail] def relieve(): Unit      = {
        if (failure != null) throw failure
        isRelieved = true
        memory.give(bytes)
      }
      private[needletail] def failed(cause: Throwable): Unit = told = cause
    }

    def idleTimeoutChanged(nanos: Long): Unit                  = ()
    def drain(): Unit                                          = ()
    def onData(bytes: Array[Byte], from: Int, until: Int): Int = until
    def onEnd(): Unit                                          = ()
    def onDrained(): Unit                                      = ()
    def onDeadline(): Unit                                     = ()
    protected def closed(cause: Throwable): Unit               = ()
  }

  test("one that fails to release memory is told so, and the others are relieved") {
    val reported = Promise[Throwable]()
    val loops = new EventLoops(1, "test", daemon = true, onFailure = (_, e) => { reported.trySuccess(e); () })
    try {
      val loop    = loops(0)
      val done    = Promise[(Boolean, Throwable)]()
      val failure = new IllegalStateException("of its own")
      loop.execute { () =>
        val connections = new LoopConnections((_, _) => ())
        val failing     = new Holder(loop.memory, 900000, failure)
        val other       = new Holder(loop.memory, 800000, null)
        connections.add(other)
        connections.add(failing)
        val relief = new MemoryRelief(loop, 1000000, connections, new LoopCounts)
        loop.memory.add(1700000)
        try relief.run()
        catch { case _: IllegalStateException => () }
        done.success((other.isRelieved, failing.told))
      }
      assertEquals(Await.result(done.future, 20.seconds), (true, failure))
      assertEquals(Await.result(reported.future, 20.seconds), failure)
    } finally loops.stop()
  }
}
