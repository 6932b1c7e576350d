package needletail.server.session

import needletail.server.config.ServerConfig
import needletail.server.operations.Log

import needletail.async.{Async, AsyncPromise}
import needletail.http._
import needletail.testing.{Suite, UserErrors}

/** Whatever user code throws, and wherever: no client gets the response of another. */
class AnswerToAnotherClientSuite extends Suite {
  private def get(path: String) = s"GET $path HTTP/1.1\r\nHost: a\r\n\r\n"

  import UserErrors.survivable

  private val fatal =
    Seq[() => Throwable](() => new OutOfMemoryError("none left"), () => new InternalError("torn"))

  /** Pipelines a request that is answered and one that fails; then the next connection of the loop asks. */
  private def attacked(
      handler: Handler,
      config: ServerConfig = ServerConfig(log = Log.none),
      path: String = "/fails"
  ) = {
    val attacker = new FakeWire(handler, config)
    val victim   = new FakeWire(handler, config, neighbour = attacker)
    val thrown   =
      try { attacker.send(get("/mine") + get(path)); null }
      catch { case e: VirtualMachineError => e }
    (attacker, victim.send(get("/victim")), thrown)
  }

  private def answering(fails: => Reply): Handler = request =>
    request.path match {
      case "/fails" => fails
      case path     => Response.ok(s"answer to $path")
    }

  private def assertOwn(victim: FakeWire): Unit = {
    val output = victim.output
    assertEquals("answer to [a-z/]*".r.findAllIn(output).toList, List("answer to /victim"), output)
    assertEquals("HTTP/1.1 ".r.findAllIn(output).length, 1, output)
  }

  test(
    "fault 1: a handler that throws is answered for with 500, whatever it throws, and the connection goes on"
  ) {
    survivable.foreach { e =>
      val (attacker, victim, thrown) = attacked(answering(throw e()))
      assertEquals(thrown, null)
      assertEquals(attacker.send(get("/more")).statuses, List(200, 500, 200), e().toString)
      assertOwn(victim)
    }
  }

  test("fault 1: a function of an asynchronous answer that throws is answered for with 500") {
    survivable.foreach { e =>
      val gate                  = new AsyncPromise[Unit]
      val (attacker, victim, _) = attacked(answering(gate.map[Response](_ => throw e())))
      gate.succeed(())
      assertEquals(attacker.turn().statuses, List(200, 500), e().toString)
      assertOwn(victim)
    }
  }

  test("fault 1: a fatal error leaves the turn, and takes with it what the turn had written") {
    fatal.foreach { e =>
      val (attacker, victim, thrown) = attacked(answering(throw e()))
      assertEquals(thrown.getClass.getName, e().getClass.getName)
      assert(attacker.isAborted)
      assertEquals(attacker.output, "")
      assertOwn(victim)
    }
  }

  test("fault 1: an exception that leaves a turn by way of the wire ends that connection alone") {
    val attacker = new FakeWire(answering(Response.ok))
    val victim   = new FakeWire(answering(Response.ok), neighbour = attacker)
    attacker.writing = () => throw new IllegalStateException("from inside")
    attacker.send(get("/mine"))
    assert(attacker.isAborted)
    assert(attacker.session.isFinished)
    assertOwn(victim.send(get("/victim")))
    assertEquals(attacker.context.counts.failures, 1L)
  }

  test("fault 1: bytes written outside of a turn are sent to no client") {
    val wire = new FakeWire(answering(Response.ok))
    wire.context.writer.writeLatin1("HTTP/1.1 200 OK\r\n\r\n")
    assertOwn(wire.send(get("/victim")))
  }

  private final class Failing(onNext: => Async[Option[Array[Byte]]], onCancel: => Unit) extends ByteStream {
    var cancelled                          = 0
    def next(): Async[Option[Array[Byte]]] = onNext
    def cancel(): Unit                     = { cancelled += 1; onCancel }
  }

  test("fault 1: a stream whose next and cancel throw ends its own connection, and is cancelled once") {
    survivable.foreach { e =>
      var pulled = 0
      val stream = new Failing(
        if (pulled == 0) { pulled = 1; Async.value(Some("piece".getBytes)) }
        else throw e(),
        throw e()
      )
      val (attacker, victim, _) = attacked(answering(Response.ok.stream(stream)))
      // the piece has not left for the kernel: the reply can still be taken back
      assertEquals(attacker.statuses, List(200, 500), e().toString)
      assertEquals(stream.cancelled, 1, e().toString)
      assertOwn(victim)
    }
  }

  test("fault 1: a stream that is not sent, as for HEAD, is cancelled once, though that throws") {
    survivable.foreach { e =>
      val stream = new Failing(Async.value(None), throw e())
      val wire   = new FakeWire(answering(Response.ok.stream(stream)))
      assertEquals(wire.send("HEAD /fails HTTP/1.1\r\nHost: a\r\n\r\n" + get("/")).statuses, List(200, 200))
      assertEquals(stream.cancelled, 1)
    }
  }

  test("fault 1: a stream that is under way when its client goes is cancelled once, though that throws") {
    survivable.foreach { e =>
      val stream = new Failing(new AsyncPromise[Option[Array[Byte]]], throw e())
      val wire   = new FakeWire(answering(Response.ok.stream(stream)))
      wire.send(get("/fails"))
      wire.session.peerGone()
      wire.session.peerGone()
      assertEquals(stream.cancelled, 1)
    }
  }

  test("fault 1: an access log and a log that throw affect no response") {
    survivable.take(1).foreach { e => // what is lost is said on standard error
      val throwing = new Log {
        def warn(message: String): Unit                    = throw e()
        def error(message: String, cause: Throwable): Unit = throw e()
      }
      val config                = ServerConfig(log = throwing, accessLog = Some((_, _, _, _) => throw e()))
      val (attacker, victim, _) = attacked(answering(throw e()), config)
      assertEquals(attacker.statuses, List(200, 500))
      assertOwn(victim)
    }
  }
}
