package needletail.actor

import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** The mailbox has a bound, and says what became of what did not fit. */
class MailboxSuite extends Suite {

  private final class Scene(overflow: Overflow) {
    val loop               = new ManualLoop
    var seen               = List.empty[Int]
    val ref: ActorRef[Int] =
      Actor.spawn[Int](loop, ActorSettings(mailbox = 3, overflow = overflow))(_ => n => seen ::= n)
    loop.runAll()
  }

  test("the newest is rejected by default") {
    assertEquals(ActorSettings().overflow, Overflow.RejectNewest: Overflow)
    val f = new Scene(Overflow.RejectNewest)
    import f._
    assertEquals((1 to 5).map(ref.send).toList, List(true, true, true, false, false))
    assertEquals(ref.stats.waiting, 3)
    loop.runAll()
    assertEquals(seen.reverse, List(1, 2, 3))
    assertEquals(ref.stats, ActorStats(0, 3, 2, 0, 0, 0))
    assert(ref.send(6))
    loop.runAll()
    assertEquals(seen.head, 6)
  }

  test("the oldest is dropped where that is wanted") {
    val f = new Scene(Overflow.DropOldest)
    import f._
    assert((1 to 5).forall(ref.send))
    assertEquals(ref.stats.waiting, 3)
    loop.runAll()
    assertEquals(seen.reverse, List(3, 4, 5))
    assertEquals(ref.stats, ActorStats(0, 3, 0, 2, 0, 0))
  }

  test("a message that is being received no longer takes a place") {
    val loop                    = new ManualLoop
    var refused                 = 0
    lazy val ref: ActorRef[Int] = Actor.spawn[Int](loop, ActorSettings(mailbox = 1)) { _ => n =>
      if (n > 0 && !ref.send(n - 1)) refused += 1
    }
    ref.send(10)
    loop.runAll()
    assertEquals(refused, 0)
    assertEquals(ref.stats.received, 11L)
  }

  test("a message that is null is refused") {
    val f = new Scene(Overflow.RejectNewest)
    intercept[NullPointerException](f.ref.asInstanceOf[ActorRef[Any]].send(null))
    assertEquals(f.ref.stats.waiting, 0)
    assert((1 to 3).forall(f.ref.send))
  }

  test("one message is removed from among others, which keep their order") {
    val mailbox              = new Mailbox(9, Overflow.RejectNewest)
    val (one, two, and, not) = (new String("a"), new String("b"), new String("a"), new String("b"))
    List(one, two, and, one).foreach(mailbox.offer)
    assert(!mailbox.remove(not), "an equal one is another")
    assert(mailbox.remove(one))
    assertEquals(mailbox.size, 3)
    assert(List(two, and, one).forall(mailbox.poll() eq _))
    assert(!mailbox.remove(one))
    assertEquals((mailbox.size, mailbox.poll()), (0, null))
  }
}
