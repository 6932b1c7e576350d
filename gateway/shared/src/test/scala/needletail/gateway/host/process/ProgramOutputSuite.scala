package needletail.gateway.host.process

import needletail.async.Async
import needletail.gateway.host.OnALoop
import needletail.io.EventLoop
import needletail.testing.Suite

/** The output of a program whose reader stops waiting for a piece, and asks for it again later. */
class ProgramOutputSuite extends Suite with OnALoop {

  private final class Fake(loop: EventLoop) extends Program(loop, 0) {
    var asked                                  = 0
    def pid: Long                              = 0
    private[host] def kill(): Unit             = ()
    protected def signal(kill: Boolean): Unit  = ()
    protected def wantOutput(): Unit           = asked += 1
    protected def closeOutput(): Unit          = ()
    protected def reportsOutputEnd: Boolean    = true
    protected def closeRest(): Unit            = ()
    def write(bytes: Array[Byte]): Async[Unit] = Async.unit
    def endInput(): Unit                       = ()
    def arrives(text: String): Unit            = outputArrived(text.getBytes)
    def over(): Unit                           = outputEnded()
    def ends(): Unit                           = ended(0)
  }

  private def text(result: Async[Option[Array[Byte]]]): Option[String] =
    result.poll.getOrElse(fail("nothing has come")).get.map(new String(_))

  /** What a program does whose reader has withdrawn from reading. */
  private def withdrawn(body: Fake => Unit): Unit = onLoop { loop =>
    val program = new Fake(loop)
    try {
      val read = program.output.next()
      read.cancel()
      body(program)
    } finally Program.over(program)
  }

  test("a piece that nobody waits for any more comes with the next read") {
    withdrawn { program =>
      program.arrives("one")
      assertEquals(text(program.output.next()), Some("one"))
      val next = program.output.next()
      program.arrives("two")
      assertEquals(text(next), Some("two"))
      assertEquals(program.asked, 2)
    }
  }

  test("one piece is asked for at a time, however often its reader withdraws") {
    withdrawn { program =>
      for (_ <- 1 to 3) program.output.next().cancel()
      assertEquals(program.asked, 1)
      val next = program.output.next()
      program.arrives("one")
      assertEquals((text(next), program.asked), (Some("one"), 1))
    }
  }

  test("and it comes before the end of the output") {
    withdrawn { program =>
      program.arrives("one")
      program.over()
      program.ends()
      assertEquals(text(program.output.next()), Some("one"))
      assertEquals(text(program.output.next()), None)
    }
  }
}
