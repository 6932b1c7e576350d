package needletail.conformance.operation

import needletail.conformance.client.{Ask, ReplyReader, Seen, Wire}
import needletail.conformance.harness.{ConformanceSuite, Program}
import needletail.conformance.harness.Message.{echo, get, head, target}
import needletail.conformance.harness.Outcome._

/** SIGTERM: nothing under way is cut off, nothing new begins, the exit status is 0. Each test has a program of its own. */
class DrainSuite extends ConformanceSuite {

  /** The timeouts of a program that is not to end anything by itself. */
  private val patient = Seq("--head-timeout", "60s", "--body-timeout", "60s", "--idle-timeout", "60s")

  private def drained(name: String, timeouts: Seq[String] = patient)(body: Program => Unit): Unit =
    each(s"SIGTERM $name (STATED)") { other =>
      val program = Program.start(other.path, more = timeouts)
      try {
        assertServes(program)
        body(program)
      } finally program.kill()
    }

  /** SIGTERM; returns when the program has received it. */
  private def terminate(program: Program): Unit = {
    program.terminate()
    eventually(!program.listens, "the program still listens")
  }

  /** A connection on which the program has received half of a body, and SIGTERM since. */
  private def inMidBody(program: Program)(body: (Wire, ReplyReader) => Unit): Unit = {
    val wire = program.connect()
    try {
      wire.send(echo("Content-Length: 10") + "hello")
      eventually(program.hasTaken(wire))
      terminate(program)
      body(wire, new ReplyReader(wire))
    } finally wire.close()
  }

  /** In a time that is far from what the program waits for at most. */
  private def assertEnds(program: Program, millis: Long = 10000): Unit = {
    val start  = System.nanoTime()
    val status = program.exitStatus(millis)
    assert(status.isDefined, s"still there after ${(System.nanoTime() - start) / 1000000} ms")
    assertEquals(status, Some(0))
    assertEquals(program.stackTraces.toList, Nil)
  }

  drained("with no connection ends at once") { program =>
    program.terminate()
    assertEnds(program)
  }

  drained("closes idle connections at once, and waits little for clients that keep their side open") {
    program =>
      val wires   = (1 to 50).map(_ => program.connect())
      val readers = wires.map(new ReplyReader(_))
      try {
        wires.foreach(_.send(get()))
        readers.foreach(reader => assertEquals(reply(reader).text, Hello))
        program.terminate()
        val end = Wire.in(20000)
        wires.foreach { wire =>
          val (count, how) = wire.discard(end)
          assertEquals((count, how), (0L, Wire.End))
        }
        assertEnds(program)
      } finally wires.foreach(_.close())
  }

  drained("closes connections that never sent a request") { program =>
    val wires = (1 to 10).map(_ => program.connect())
    try {
      eventually(wires.forall(program.hasTaken))
      program.terminate()
      assertEnds(program)
    } finally wires.foreach(_.close())
  }

  drained("twice cuts off what is under way") { program =>
    inMidBody(program) { (wire, _) =>
      program.terminate()
      assertEnds(program)
      val (_, how) = wire.discard(Wire.in(20000))
      assert(how != Wire.Silence, how)
    }
  }

  drained("lets a body that is coming come") { program =>
    inMidBody(program) { (wire, reader) =>
      wire.send("world")
      val got = reply(reader)
      assertEquals((got.status, got.text, got.whole), (200, "helloworld", true))
      assertEquals(reader.next(Ask.get), Seen.Ended)
      wire.close()
      assertEnds(program)
    }
  }

  drained("lets a head that is coming come, and closes behind its reply") { program =>
    val wire   = program.connect()
    val reader = new ReplyReader(wire)
    try {
      wire.send("GET /plaintext HTTP/1.1\r\nHos")
      eventually(program.hasTaken(wire))
      terminate(program)
      wire.send("t: a\r\n\r\n")
      val got = reply(reader)
      assertEquals((got.status, got.text, got.saysClose), (200, Hello, true))
      assertEquals(reader.next(Ask.get), Seen.Ended)
      wire.close()
      assertEnds(program)
    } finally wire.close()
  }

  drained("lets a long reply go out whole") { program =>
    val size = 30000000
    val wire = program.connect()
    try {
      wire.send(target(s"/big?bytes=$size"))
      eventually(program.hasTaken(wire)) // the reply fills what the kernel buffers, and waits for us
      terminate(program)
      val got = reply(new ReplyReader(wire))
      assertEquals((got.whole, got.body.length), (true, size))
      wire.close()
      assertEnds(program)
    } finally wire.close()
  }

  drained("answers the next request with Connection: close, or ends the connection") { program =>
    val wires   = (1 to 20).map(_ => program.connect())
    val readers = wires.map(new ReplyReader(_))
    try {
      wires.foreach(_.send(get()))
      readers.foreach(reader => assertEquals(reply(reader).text, Hello))
      program.terminate()
      wires.foreach(_.send(get()))
      readers.foreach { reader =>
        reader.next(Ask.get) match {
          case Seen.Answer(got) if got.saysClose => assertEquals(reader.next(Ask.get), Seen.Ended)
          case Seen.Answer(got)                  => // sent before the signal came to be handled
            assertEquals(got.text, Hello)
            assertEquals(reader.next(Ask.get), Seen.Ended)
          case Seen.Ended | Seen.Reset => ()
          case other                   => fail(s"$other")
        }
      }
      wires.foreach(_.close())
      assertEnds(program)
    } finally wires.foreach(_.close())
  }

  drained("answers all of a pipeline that has begun, or says close") { program =>
    val wire   = program.connect()
    val reader = new ReplyReader(wire)
    try {
      wire.send(target("/big?bytes=20000000") + get() + get())
      eventually(program.hasTaken(wire))
      program.terminate()
      val first = reply(reader)
      assertEquals((first.whole, first.body.length), (true, 20000000))
      var last = first
      var seen = reader.next(Ask.get)
      while (seen != Seen.Ended) {
        seen match {
          case Seen.Answer(got) =>
            assertEquals((got.text, last.saysClose), (Hello, false))
            last = got
          case other => fail(s"$other")
        }
        seen = reader.next(Ask.get)
      }
      wire.close()
      assertEnds(program)
    } finally wire.close()
  }

  drained("does not wait for ever for a client that has stopped", timeouts = Nil) { program =>
    val stopped = (1 to 5).map(_ => program.connect())
    try {
      stopped.foreach(_.send(echo("Content-Length: 10") + "hello"))
      eventually(stopped.forall(program.hasTaken))
      program.terminate()
      assertEnds(program, 30000)
    } finally stopped.foreach(_.close())
  }

  drained("takes no new connection, or none that it keeps") { program =>
    inMidBody(program) { (wire, reader) =>
      val served =
        try {
          val late = program.connect()
          try {
            late.send(head("GET /plaintext HTTP/1.1", "Host: a"))
            new ReplyReader(late, replyMillis = 500).next(Ask.get) match {
              case Seen.Answer(got) => !got.saysClose
              case _                => false
            }
          } finally late.close()
        } catch { case _: java.io.IOException => false }
      assert(!served, "a new connection is served and kept")
      wire.send("world")
      assertEquals(reply(reader).text, "helloworld")
      wire.close()
      assertEnds(program)
    }
  }
}
