package needletail.actor

import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** What waits for an actor that stops, while a sender is about to take its own message back. */
class InboxSuite extends Suite {
  test("closing waits for one who has messages in hand, and discards these as well") {
    val inbox  = new Inbox[String](new ManualLoop, ActorSettings(), () => ())
    val closer = new Thread(() => inbox.close())
    assert(inbox.put("in hand"))
    inbox.mailbox.synchronized { // as in `Mailbox.remove`
      val inHand = inbox.mailbox.poll()
      closer.start()
      eventually(closer.getState == Thread.State.BLOCKED || !closer.isAlive)
      assert(inbox.mailbox.offer(inHand))
    }
    closer.join(20000)
    assert(!closer.isAlive && inbox.isEmpty)
    assertEquals(inbox.deadLetters, 1L)
  }
}
