package needletail.io

import needletail.io.platform.{ConnectionOptions, Interest}

/** What a connection waits for whose peer does not take the end of its TLS stream. */
class OwedEndSuite extends LoopSuite {

  /** A socket secured by TLS, whose peer takes no end, and goes on sending or has ended. */
  private final class Owing(hasEnded: Boolean) extends StubSocket {
    private var owes        = false
    override def isSecure   = true
    override def owesOutput = owes

    override def read(bytes: Array[Byte], from: Int, count: Int): Int = if (hasEnded) -1 else count
    override def shutdownOutput(): Unit                               = owes = true
    override def sendOwed(): Unit                                     = owes = false
    override def permitted(bits: Int): Int                            = {
      interest = if (owes) bits | Interest.Write else bits
      interest // no poller is told
    }
  }

  /** What is waited for as it lingers, after each readiness for reading, and whether it is closed then. */
  private def lingering(hasEnded: Boolean, maxDiscard: Int, reads: Int): (Seq[Int], Boolean) = withLoop {
    loop =>
      on(loop) {
        val socket     = new Owing(hasEnded)
        val connection = new Connection(loop, socket, ConnectionOptions())
        connection.handler = new Recorder(new Events)
        connection.onReady(Interest.Read)
        connection.closeGracefully(3600L * 1000000000L, maxDiscard)
        val first = socket.interest
        val later = Seq.fill(reads) { connection.onReady(Interest.Read); socket.interest }
        val early = connection.isClosed
        connection.onReady(Interest.Write)
        (first +: later, !early && connection.isClosed)
      }
  }

  test("of a peer that has ended its own stream no input is awaited") {
    assertEquals(lingering(hasEnded = true, maxDiscard = 1000, reads = 0), (Seq(Interest.Write), true))
  }

  test("nor of one that has sent as much as is discarded") {
    val both = Interest.Read | Interest.Write
    assertEquals(
      lingering(hasEnded = false, maxDiscard = 1000, reads = 1),
      (Seq(both, Interest.Write), true)
    )
    assertEquals(lingering(hasEnded = false, maxDiscard = 0, reads = 0), (Seq(Interest.Write), true))
  }
}
