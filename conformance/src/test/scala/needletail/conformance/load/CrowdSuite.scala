package needletail.conformance.load

import java.util.concurrent.atomic.AtomicBoolean

import scala.collection.mutable.ArrayBuffer
import scala.concurrent.duration._

import needletail.conformance.client.{Ask, ReplyReader, Seen, Wire}
import needletail.conformance.harness.{Background, ConformanceSuite, FirstFailure, Program}
import needletail.conformance.harness.Message.{echo, get}
import needletail.conformance.harness.Outcome._
import needletail.testing.Pause

/** Many connections that do nothing, or next to nothing, while others are to be served. */
class CrowdSuite extends ConformanceSuite {

  /**
   * Connections of a crowd. Fewer over TLS: they are opened one after another, and the first may not wait for longer
   * than the program's time limits while the others make their handshakes.
   */
  private val crowd = if (Program.overTls) 50 else 450

  /** How long a request on a new connection takes, in milliseconds. */
  private def serviceTime(program: Program): Long = {
    val start = System.nanoTime()
    assertServes(program)
    (System.nanoTime() - start) / 1000000
  }

  private def mostOf(times: Seq[Long]): Long = times.sorted.apply(times.size * 95 / 100)

  /** Requests for as long as it lasts; 95 in 100 may not take much longer than they did before it. */
  private def undisturbed(program: Program)(body: => Unit): Unit = {
    val before  = mostOf((1 to 40).map(_ => serviceTime(program)))
    val times   = ArrayBuffer.empty[Long]
    val over    = new AtomicBoolean(false)
    val failed  = new FirstFailure
    val service = Background.run("normal service") {
      failed.keep {
        while (!over.get) {
          times += serviceTime(program)
          Pause(15.millis)
        }
      }
    }
    try body
    finally {
      over.set(true)
      service.join(10000)
    }
    failed.rethrow()
    assert(times.nonEmpty, "no request was served meanwhile")
    val meanwhile = mostOf(times.toSeq)
    assert(
      meanwhile < 2000 + 5 * before,
      s"95 in 100 requests took up to $before ms before, $meanwhile ms meanwhile"
    )
  }

  each(
    "1,000 clients with slow heads leave normal service untouched and are ended (STATED, RFC 9110 §15.5.9)"
  ) { program =>
    undisturbed(program) {
      val wires = (1 to 1000).map { i =>
        val wire = program.connect()
        wire.send(s"GET /plaintext HTTP/1.1\r\nHost: a\r\nX-Slow: $i")
        wire
      }
      try {
        val deadline = Wire.in(Program.headTimeoutMillis + 20000L)
        wires.foreach(_.send("x"))
        val left = wires.count(wire => wire.discard(deadline)._2 == Wire.Silence)
        assertEquals(left, 0, "connections still open after the time for a head")
      } finally wires.foreach(_.close())
    }
  }

  each(s"$crowd idle connections leave normal service untouched, and each is served (STATED)") { program =>
    undisturbed(program) {
      val wires   = (1 to crowd).map(_ => program.connect())
      val readers = wires.map(new ReplyReader(_))
      try {
        (1 to 3).foreach { _ =>
          wires.foreach(_.send(get()))
          readers.foreach(reader => assertEquals(reply(reader).text, Hello))
          Pause(700.millis)
        }
        wires.foreach(_.send(get("Connection: close")))
        readers.foreach { reader =>
          assertEquals(reply(reader).text, Hello)
          assertEquals(reader.next(Ask.get), Seen.Ended)
        }
      } finally wires.foreach(_.close())
    }
  }

  each(s"$crowd connections with half a body each leave normal service untouched (STATED)") { program =>
    undisturbed(program) {
      val wires = (1 to crowd).map { _ =>
        val wire = program.connect()
        wire.send(echo("Content-Length: 1000") + "x" * 300)
        wire
      }
      try {
        eventually(program.hasTaken(wires.last))
        wires.foreach(_.send("x" * 700))
        wires.foreach(wire => assertEquals(reply(new ReplyReader(wire)).body.length, 1000))
      } finally wires.foreach(_.close())
    }
  }

  each(s"$crowd connections that send the same large request at once are all answered (STATED)") { program =>
    val wires = (1 to crowd).map(_ => program.connect())
    try {
      wires.foreach(_.send(get("X: " + "v" * 4000) * 4))
      wires.foreach { wire =>
        val reader = new ReplyReader(wire)
        (1 to 4).foreach(_ => assertEquals(reply(reader).text, Hello))
      }
    } finally wires.foreach(_.close())
  }
}
