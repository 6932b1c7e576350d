package needletail.io.system.tls

import needletail.testing.Suite

/** Whether a session is older than the handshake that has it, by the clock of the wall. */
class SessionAgeSuite extends Suite {
  private def isOlder(made: Long): Boolean = Established.isOlder(made, begun = 1000, now = 1010)

  test("a session that was made during the handshake is new") {
    for (made <- Seq(1000L, 1005L, 1010L)) assert(!isOlder(made), made)
  }

  test("a session that was made before is old, although the clock has been set back since") {
    for (made <- Seq(0L, 999L, 1011L, 6000L)) assert(isOlder(made), made)
  }
}
