package needletail.server

import needletail.server.session.FakeWire

import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.concurrent.{Await, ExecutionContext}
import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.http._
import needletail.io.Address
import needletail.testing.{KernelSockets, Suite}

/** Fault 19: that what has no end of its own does not keep a server from ending. */
class EndsSuite extends Suite {

  /** Hands out what it was given, and then waits; counts how often it was cancelled. */
  private final class Waiting(first: Option[String]) extends ByteStream {
    private var handed                     = false
    val more                               = new AsyncPromise[Option[Array[Byte]]]
    var cancelled                          = 0
    def next(): Async[Option[Array[Byte]]] =
      if (!handed && first.isDefined) {
        handed = true
        Async.value(first.map(_.getBytes))
      } else more
    def cancel(): Unit = cancelled += 1
  }

  private val events = Response.ok.contentType("text/event-stream; charset=utf-8")

  private val get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

  private def wire(response: Response): FakeWire = {
    val w = new FakeWire(_ => response, ServerConfig(log = Log.none))
    w.send(get)
    w
  }

  private def drain(w: FakeWire): FakeWire = {
    w.session.drain()
    w.turn()
  }

  test("fault 19: a stream of events that waits ends in an orderly way when a drain begins") {
    val stream = new Waiting(Some("data: 1\n\n"))
    val w      = drain(wire(events.stream(stream)))
    val output = w.output
    assert(output.endsWith("9\r\ndata: 1\n\n\r\n0\r\n\r\n"), output)
    assert(w.after(1.second).isFinished) // it was told that the connection is kept
    assertEquals(stream.cancelled, 1)
  }

  test("fault 19: one that has not given anything yet, too") {
    val stream = new Waiting(None)
    val w      = drain(wire(events.stream(stream)))
    assert(w.output.endsWith("0\r\n\r\n") && w.after(1.second).isFinished)
    assertEquals(stream.cancelled, 1)
  }

  test("fault 19: one that begins when the drain has begun, as soon as it waits") {
    val stream = new Waiting(Some("data: 1\n\n"))
    val w      = new FakeWire(_ => events.stream(stream), ServerConfig(log = Log.none))
    w.session.drain()
    assert(w.send(get).output.endsWith("9\r\ndata: 1\n\n\r\n0\r\n\r\n") && w.isFinished)
  }

  test("fault 19: any other stream ends by itself, as only it knows where it may end") {
    val stream = new Waiting(Some("half"))
    val w      = drain(wire(Response.ok.contentType("text/csv").stream(stream)))
    assert(!w.isFinished && stream.cancelled == 0)
    stream.more.succeed(None)
    assert(w.turn().output.endsWith("0\r\n\r\n") && w.after(1.second).isFinished)
  }

  test("fault 19: until a signal: what is there comes first, then the end") {
    val signal = new AsyncPromise[Unit]
    val source = new Waiting(Some("one"))
    val stream = source.until(signal)
    signal.succeed(())
    assertEquals(stream.next().poll.map(_.get.map(new String(_))), Some(Some("one")))
    assertEquals(stream.next().poll.map(_.get), Some(None))
    assertEquals(stream.next().poll.map(_.get), Some(None))
    stream.cancel()
    assertEquals(source.cancelled, 1)
  }

  test("fault 19: until a signal: a waiting reader gets the end, and the signal is unchanged") {
    val signal = new AsyncPromise[Unit]
    val source = new Waiting(None)
    val next   = source.until(signal).next()
    val other  = new Waiting(None)
    other.until(signal).next().cancel() // its reader has cancelled
    assert(!next.isCompleted && !signal.isCompleted)
    signal.succeed(())
    assertEquals(next.poll.map(_.get), Some(None))
    assertEquals((source.cancelled, other.cancelled), (1, 0))
    val third = new Waiting(None)
    val piece = third.until(new AsyncPromise[Unit]).next()
    third.more.succeed(Some("x".getBytes))
    assertEquals(piece.poll.map(_.get.map(new String(_))), Some(Some("x")))
  }

  private def config = ServerConfig(
    address = Address.Tcp("127.0.0.1", 0),
    loops = 1,
    log = Log.none,
    drainTimeout = 1.minute, // longer than the test may take
    drainGrace = 1.milli
  )

  test("fault 19: handlers learn that draining has begun, and who started the server does") {
    val server = Server(
      Handler((request: Request) =>
        if (request.path == "/wait")
          new Reply.Later(request.connection.draining.map(_ => Response.ok("drained")))
        else Response.ok.stream(new Waiting(Some("first")).until(request.connection.draining)): Reply
      ),
      config
    ).start()
    val streamed = new RawClient(server.port).send(get)
    streamed.readUntil("first")
    val waits = new RawClient(
      server.port
    ).send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\nGET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
    assert(!server.draining.isCompleted)
    // both are under way: one more request has been answered by each loop since
    val other = new RawClient(server.port).send(get)
    other.readUntil("first")
    server.drain()
    assert(server.draining.isCompleted)
    assertEquals(streamed.readAll(), "\r\n0\r\n\r\n")
    assert(waits.readAll().endsWith("drained"))
    Await.result(server.stopped, 20.seconds)
    List(streamed, waits, other).foreach(_.close())
  }

  test("fault 19: of several servers, all end when one does, and runAll returns") {
    var started: Seq[RunningServer] = Nil
    val begun                       = new CountDownLatch(1)
    val over                        = new CountDownLatch(1)
    val handler: Handler            = _ => Response.ok("fine")
    val thread                      = new Thread(() => {
      Server.runAll(
        Seq(Server(handler, config), Server(handler, config)),
        (all: Seq[RunningServer]) => {
          started = all
          begun.countDown()
        }
      )
      over.countDown()
    })
    thread.setDaemon(true)
    thread.start()
    assert(begun.await(10, TimeUnit.SECONDS))
    val client = new RawClient(started(1).port).send(get)
    assert(client.readUntil("fine").startsWith("HTTP/1.1 200 "))
    client.close()
    started.head.drain()
    assert(over.await(10, TimeUnit.SECONDS))
    assert(started.forall(_.stopped.isCompleted))
  }

  test("fault 19: of several servers, none is left where one cannot listen") {
    val handler: Handler = _ => Response.ok("fine")
    val taken            = Server(handler, config).start()
    val free             = Server(handler, config).start()
    val port             = free.port
    Await.result(free.close(), 20.seconds)
    def at(port: Int) = Server(handler, config.withPort(port))
    try {
      assert(scala.util.Try(Server.runAll(
        at(port),
        at(taken.port)
      )).failed.toOption.exists(_.isInstanceOf[CannotListen]))
      // the first one is gone: its port can be had again
      val end   = System.nanoTime() + 10.seconds.toNanos
      var again = scala.util.Try(at(port).start())
      while (again.isFailure && System.nanoTime() < end) again = scala.util.Try(at(port).start())
      Await.result(again.get.close(), 20.seconds)
    } finally Await.result(taken.close(), 20.seconds)
  }

  private final val AsksPeer = 2 // a timer

  /** The kernel's timers of connections at that port. */
  private def timers(port: Int): List[Int] =
    KernelSockets.at(port).filter(_.isEstablished).map(_.timer).toList

  private def timersOfWaiting(config: ServerConfig, response: => Response): List[Int] = {
    val server = Server(Handler((_: Request) => response), config).start()
    val client = new RawClient(server.port).send(get)
    try {
      client.readUntil("first")
      var found = timers(server.port)
      // what has just been sent has a timer of its own, until it is acknowledged
      eventually({ found = timers(server.port); found == List(AsksPeer) || found == List(0) }, found)
      found
    } finally {
      client.close()
      Await.result(server.close(), 20.seconds)
    }
  }

  test("fault 14: the kernel asks whether the client of a stream that waits is still there") {
    assume(KernelSockets.areKnown, "there is no /proc/net/tcp")
    def streamed = Response.ok.stream(new Waiting(Some("first")))
    assertEquals(timersOfWaiting(config, streamed), List(AsksPeer))
    assertEquals(timersOfWaiting(config.copy(streamKeepAlive = Duration.Zero), streamed), List(0))
    assertEquals(timersOfWaiting(config, Response.ok("first")), List(0))
  }

  test("if what is to be done at the start fails, nothing keeps on serving") {
    for (_ <- 1 to 2) {
      val servers = List.fill(2)(Server(Handler((_: Request) => Response.ok), config))
      var started = Seq.empty[RunningServer]
      val error   = intercept[IllegalStateException](Server.runAll(
        servers,
        (all: Seq[RunningServer]) => { started = all; throw new IllegalStateException("not today") }
      ))
      assertEquals(error.getMessage, "not today")
      assertEquals(started.length, 2)
      started.foreach(server => Await.result(server.stopped, 20.seconds))
    }
  }

  /** Keeps what it is told of failures. */
  private final class Failures extends Log {
    @volatile var all: Vector[String]                  = Vector.empty
    def warn(message: String): Unit                    = ()
    def error(message: String, cause: Throwable): Unit =
      synchronized(all :+= s"$message: ${cause.getMessage}")
  }

  private def fails(cause: String): Unit = throw new NoClassDefFoundError(cause)

  test("run returns although a callback of stopped throws a LinkageError") {
    for (admin <- List(None, Some(AdminConfig(0)))) {
      val log     = new Failures
      val over    = new CountDownLatch(1)
      val begun   = new CountDownLatch(1)
      var servers = Seq.empty[RunningServer]
      val thread  = new Thread(() => {
        Server.runAll(
          Seq.fill(2)(Server(Handler((_: Request) => Response.ok), config.copy(log = log, admin = admin))),
          (all: Seq[RunningServer]) => {
            servers = all
            for (server <- all; n <- 1 to 2)
              server.stopped.onComplete(_ => fails(s"callback $n"))(ExecutionContext.parasitic)
            begun.countDown()
          }
        )
        over.countDown()
      })
      thread.setDaemon(true)
      thread.start()
      assert(begun.await(10, TimeUnit.SECONDS))
      servers.head.drain()
      assert(over.await(10, TimeUnit.SECONDS), "it is still running")
      assert(servers.forall(_.stopped.isCompleted))
      for (server <- servers)
        eventually(log.all.exists(text => text.startsWith(server.url) && text.contains("callback")), log.all)
    }
  }

  test("a callback of draining that throws a LinkageError keeps no server from being drained") {
    val log    = new Failures
    val server = Server(Handler((_: Request) => Response.ok), config.copy(log = log)).start()
    server.draining.onComplete(_ => fails("at the drain"))(ExecutionContext.parasitic)
    Await.result(server.drain(), 20.seconds)
    assert(log.all.exists(_.contains("at the drain")), log.all)
    val other = Server(Handler((_: Request) => Response.ok), config.copy(log = log)).start()
    other.draining.onComplete(_ => fails("at the end"))(ExecutionContext.parasitic)
    Await.result(other.close(), 20.seconds)
    assert(log.all.exists(_.contains("at the end")), log.all)
  }

  test("a callback of stopped or draining that throws a LinkageError keeps no other from being called") {
    val server = Server(Handler((_: Request) => Response.ok), config.copy(log = Log.none)).start()
    val told   = new CountDownLatch(4)
    for (future <- List(() => server.draining, () => server.stopped)) {
      future().onComplete(_ => told.countDown())(ExecutionContext.parasitic)
      future().onComplete(_ => fails("a callback"))(ExecutionContext.parasitic)
      future().onComplete(_ => told.countDown())(ExecutionContext.parasitic)
    }
    server.close()
    assert(told.await(5, TimeUnit.SECONDS), told.getCount)
  }
}
