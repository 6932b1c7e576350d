package needletail.io.tls

import scala.concurrent.duration._

import needletail.testing.Suite

/** In which order handshakes are computed, and which of them are not. */
class HandshakeLineSuite extends Suite {
  private final class Entry(val name: Int) extends HandshakeLine.Entry {
    var isLate                      = false
    override def isTooLate: Boolean = isLate
  }

  private final class Waiting {
    val line = new HandshakeLine[Entry]
    var now  = 0L

    def add(names: Seq[Int], isFresh: Boolean = true): Seq[Entry] = names.map { name =>
      val entry = new Entry(name)
      line.add(entry, isFresh, now)
      entry
    }
    def pass(time: FiniteDuration): Unit = now += time.toNanos
    def next(): Int                      = line.next(now).name
    def rest(): Seq[Int]    = Iterator.continually(line.next(now)).takeWhile(_ != null).map(_.name).toSeq
    def refused(): Seq[Int] =
      Iterator.continually(line.refused(now)).takeWhile(_ != null).map(_.name).toSeq
  }

  test("the oldest comes first, as long as none waits for a tenth of a second") {
    val w = new Waiting
    w.add(1 to 3)
    w.pass(99.millis)
    w.add(4 to 5)
    assertEquals(w.rest(), Seq(1, 2, 3, 4, 5))
    assertEquals((w.line.isEmpty, w.line.next(w.now)), (true, null))
  }

  test("the newest comes first while the oldest has waited for longer, and then the oldest again") {
    val w = new Waiting
    w.add(1 to 2)
    w.pass(100.millis)
    w.add(3 to 4)
    assertEquals(Seq(w.next(), w.next()), Seq(4, 3))
    w.add(Seq(5))
    assertEquals(Seq(w.next(), w.next(), w.next()), Seq(5, 2, 1))
    w.add(6 to 7)
    assertEquals(w.rest(), Seq(6, 7))
  }

  test("those that have begun come before others, but two at a time") {
    val w = new Waiting
    w.add(1 to 3)
    w.add(11 to 15, isFresh = false)
    assertEquals(w.rest(), Seq(11, 12, 1, 13, 14, 2, 15, 3))
  }

  test("after a second those are refused that have waited longest, but no burst") {
    val w = new Waiting
    w.add(1 to HandshakeLine.Burst)
    w.add(11001 to 11010, isFresh = false)
    w.pass(5.seconds)
    assertEquals(w.refused(), Nil)
    w.add(1001 to 1010)
    assertEquals(w.refused(), 1 to 10)
    w.add(2001 to 2010)
    w.pass(999.millis)
    assertEquals(w.refused(), 11 to 20)
    assertEquals(w.rest().size, HandshakeLine.Burst + 10)
  }

  test("one whose time has passed is refused, however few wait") {
    val w       = new Waiting
    val entries = w.add(1 to 3)
    entries.head.isLate = true
    assertEquals(w.refused(), Seq(1))
    assert(w.line.remove(entries(1)) && !w.line.remove(entries(1)) && !w.line.remove(entries.head))
    assertEquals(w.rest(), Seq(3))
  }
}
