package needletail.io

import java.lang.ref.WeakReference

import needletail.testing.Suite

class HandshakeTurnsMemorySuite extends Suite {
  private final class Member extends HandshakeTurns.Member {
    def compute(): Unit                                    = ()
    private[needletail] def failed(cause: Throwable): Unit = ()
  }

  private def added(turns: HandshakeTurns): WeakReference[Member] = {
    val member = new Member
    turns.add(member)
    new WeakReference(member)
  }

  test("a connection is not kept when it has had its turn") {
    val turns = new HandshakeTurns(_ => (), () => 0, () => 0)
    val last  = added(turns)
    turns.run()
    eventually({ System.gc(); last.get == null }, "it is kept")
  }
}
