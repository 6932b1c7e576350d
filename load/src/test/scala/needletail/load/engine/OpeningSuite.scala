package needletail.load.engine

import java.net.{InetAddress, ServerSocket, Socket, SocketException}
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._

import needletail.load.engine.worker.OpenWorker
import needletail.load.plan.{LoadPlan, Trust}
import needletail.testing.Suite

/** How many connections an open load opens at once, to a server that accepts them and says nothing. */
class OpeningSuite extends Suite with Serving {

  /** How many connections are made until the run is ended, after its first interval. */
  private def made(scheme: String)(change: LoadPlan => LoadPlan): Int = {
    val listener = new ServerSocket(0, 1000, InetAddress.getByName("127.0.0.1"))
    val accepted = new ConcurrentLinkedQueue[Socket]
    val count    = new AtomicInteger
    val accepts  = new Thread(() =>
      try while (true) { accepted.add(listener.accept()); count.incrementAndGet() }
      catch { case _: SocketException => () }
    )
    accepts.start()
    try {
      val plan   = open(s"$scheme://127.0.0.1:${listener.getLocalPort}/", 200, 500.millis)
      val result = run(change(plan.copy(trust = Trust.Anybody)), _ => false)
      assertEquals(result.intervals.map(_.self.due).sum, 100L)
      untilStill(count.get) // the last ones may wait to be accepted
    } finally {
      listener.close()
      accepts.join()
      accepted.forEach(_.close())
    }
  }

  test("with TLS only so many handshakes are under way at once") {
    assertEquals(made("https")(identity), OpenWorker.MostHandshakes)
  }

  test(
    "without TLS, and where each request has a connection of its own, each waiting request has one opened"
  ) {
    val (plain, each) = (made("http")(identity), made("https")(_.copy(keepAlive = false)))
    assert(plain >= 90 && each >= 90, (plain, each))
  }
}
