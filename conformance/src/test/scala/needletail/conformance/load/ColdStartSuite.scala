package needletail.conformance.load

import java.util.concurrent.CountDownLatch

import scala.concurrent.duration.{Duration, DurationInt}

import needletail.conformance.client.{Ask, ReplyReader, Seen}
import needletail.conformance.harness.{Background, Program}
import needletail.conformance.harness.Message.get
import needletail.testing.Suite

/** Clients that come all at once as soon as a program says where it listens, before it has served anybody. */
class ColdStartSuite extends Suite {
  override val munitTimeout: Duration = 120.seconds

  private final val Clients = 200

  private final val Patience = 60000 // milliseconds

  /** What became of a client: its status, or what was wrong. */
  private def outcome(program: Program): String =
    try {
      val wire = program.connect(timeout = Patience)
      try {
        wire.send(get("Connection: close"))
        new ReplyReader(wire, Patience).next(Ask.get) match {
          case Seen.Answer(reply) => reply.status.toString
          case other              => other.toString
        }
      } finally wire.close()
    } catch { case e: Exception => e.toString }

  Program.paths.foreach { path =>
    test(
      s"${path.getFileName}: $Clients clients over TLS at once are all served by a program just started (STATED)"
    ) {
      // the clients need the same processors
      val program =
        Program.start(path, more = Seq("--head-timeout", "60s", "--idle-timeout", "60s"), tls = true)
      try {
        val begin    = new CountDownLatch(1)
        val outcomes = new Array[String](Clients)
        val clients  = outcomes.indices.map { i =>
          Background.run(s"client $i") {
            begin.await()
            outcomes(i) = outcome(program)
          }
        }
        begin.countDown()
        clients.foreach(_.join())
        val others = outcomes.toSeq.filter(_ != "200").groupBy(identity).map { case (what, all) =>
          what -> all.size
        }
        assertEquals(others, Map.empty[String, Int])
        program.terminate()
        assertEquals(program.exitStatus(20000), Some(0))
        assertEquals(program.stackTraces.toList, Nil)
      } finally program.kill()
    }
  }
}
