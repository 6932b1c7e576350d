package needletail.server.connection

import needletail.testing.Suite

/** When somebody whose progress is observed is stalled. */
class HeldMemorySuite extends Suite {

  /** Someone who does not read some output. */
  private final class Peer extends HeldMemory {
    var isAhead  = false
    var sent     = 1000000L
    var taken    = 1000L
    var isUnread = false

    def heldForPeer: Long                                = 100000
    def holdsUnread: Boolean                             = isUnread
    def isOutput: Boolean                                = true
    private[needletail] override def sendsAhead: Boolean = isAhead
    def bytesSent: Long                                  = sent
    def outputTaken: Long                                = taken
    def offerOutput(): Unit                              = ()
    def relieve(): Unit                                  = ()
  }

  /** After how many tenths of a second it is stalled, if that is looked for at each; `does` something before. */
  private def stalledAfter(peer: Peer)(does: Int => Unit): Option[Int] =
    (0 to 150).find { tenth =>
      does(tenth)
      peer.isStalled(tenth * 100000000L)
    }

  test("who neither reads nor sends is stalled after five seconds, whatever would count meanwhile") {
    assertEquals(stalledAfter(new Peer)(_ => ()), Some(50))
    for (period <- Seq(2, 7, 30, 49)) {
      val peer = new Peer
      assertEquals(stalledAfter(peer)(tenth => peer.isAhead = tenth % period == 0), Some(50), s"$period")
      val other = new Peer
      assertEquals(stalledAfter(other)(tenth => other.isUnread = tenth % period == 0), Some(50), s"$period")
    }
  }

  test("what somebody sent counts if it did so then, whatever counts later") {
    val peer = new Peer
    val end  = stalledAfter(peer) { tenth =>
      if (tenth <= 30) peer.sent += 1 else peer.isAhead = true
    }
    assertEquals(end, Some(100))
  }

  test("who reads a little is not stalled, unless what it holds is input that waits") {
    for ((isUnread, end) <- Seq(false -> None, true -> Some(50))) {
      val peer = new Peer
      peer.isUnread = isUnread
      assertEquals(stalledAfter(peer)(_ => peer.taken += 1), end)
    }
  }

  test("a count of what was read that begins anew is that of somebody who reads") {
    val peer = new Peer
    assertEquals(stalledAfter(peer)(tenth => if (tenth == 30) peer.taken = Int.MinValue), Some(100))
  }
}
