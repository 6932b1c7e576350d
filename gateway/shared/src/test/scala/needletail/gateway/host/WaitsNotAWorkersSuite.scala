package needletail.gateway.host

import java.util.concurrent.{CountDownLatch, LinkedBlockingQueue, Semaphore, TimeUnit}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import scala.concurrent.duration._

import needletail.gateway.host.incoming.Mount
import needletail.io.Address
import needletail.server.{RawClient, RunningServer}

/** A worker is replaced for what it did not do in time, and not for what others did. */
class WaitsNotAWorkersSuite extends Hosted {
  private val stuck = new AtomicInteger

  private def workers(ready: Int => Boolean, all: Address*): Upstream = new Upstream {
    private[host] val addresses: Seq[Address]                = all
    private[host] def isOurs: Boolean                        = true
    private[host] def isReady(index: Int): Boolean           = ready(index)
    private[host] def worked(index: Int): Unit               = ()
    private[host] def stuck(index: Int, process: Long): Unit = {
      WaitsNotAWorkersSuite.this.stuck.incrementAndGet()
      ()
    }
  }

  private def client(server: RunningServer): RawClient = {
    val client = new RawClient(server.port)
    client.socket.setSoTimeout(20000)
    client.send("GET /app/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
  }

  test("one whose response takes longer than `maxTime` is not: it does what it is asked") {
    stuck.set(0)
    val scripted = new ScriptedServer({ c =>
      val asked = c.request()
      c.stdout(asked.id, "Content-Type: text/event-stream\r\n\r\n")
      while (true) c.stdout(asked.id, "data: 1\n\n")
    })
    val up = UpstreamConfig(host = hostConfig.copy(maxTime = 300.millis))
    try
      serving(fastcgi("/app", workers(_ => true, scripted.address), up)) { server =>
        val answer = Answer(client(server).readAll())
        assert(!answer.raw.endsWith("0\r\n\r\n"))
        eventually(scripted.ended.get == 1)
        assertEquals(stuck.get, 0)
      }
    finally scripted.close()
  }

  test("one that has had less than `timeout` to answer is not; one that has had that is") {
    for ((timeout, limit, count) <- List((10.seconds, 300.millis, 0), (300.millis, 10.seconds, 1))) {
      stuck.set(0)
      val scripted = new ScriptedServer({ c =>
        c.request()
        c.untilClosed()
      })
      val up = UpstreamConfig(host = hostConfig.copy(timeout = timeout))
      try
        serving(fastcgi("/app", workers(_ => true, scripted.address), up).timeout(limit)) { server =>
          val status = Answer(client(server).readAll()).status
          assert(status == 504 || status == 503 && limit < timeout, status)
          eventually(scripted.ended.get == 1)
          assertEquals(stuck.get, count, s"$timeout, $limit")
        }
      finally scripted.close()
    }
  }

  test("no request waits in the backlog of a worker that is busy while another one is being restarted") {
    val gate, asked            = new CountDownLatch(1)
    val begun                  = new AtomicInteger
    val isBack                 = new AtomicBoolean
    def server(waits: Boolean) = new ScriptedServer({ c =>
      while (true) {
        val request = c.request()
        c.content()
        begun.incrementAndGet()
        asked.countDown()
        if (waits) gate.await()
        c.stdout(request.id, "Content-Type: text/plain\r\n\r\nok")
        c.end(request.id)
      }
    })
    val (busy, other) = (server(waits = true), server(waits = false))
    val up   = UpstreamConfig(connections = 1, keep = false, queueTime = 20.seconds, host = hostConfig)
    val both = workers(index => index == 0 || isBack.get, busy.address, other.address)
    val host = new FastCgiHost(new Mount("/app"), both, up)
    try
      serving(host.routes) { server =>
        val first = client(server)
        asked.await()
        val second = client(server)
        eventually(host.slots.inUse == 2)
        isBack.set(true)
        assertEquals(Answer(second.readAll()).status, 200) // by the other one
        assertEquals((busy.accepted.get, other.accepted.get, begun.get), (1, 1, 2))
        gate.countDown()
        assertEquals(Answer(first.readAll()).status, 200)
      }
    finally {
      gate.countDown()
      busy.close()
      other.close()
    }
  }

  test("a place at the only server that is there is the oldest request's, whoever comes later") {
    val gate     = new Semaphore(0)
    val asked    = new LinkedBlockingQueue[String]
    val scripted = new ScriptedServer({ c =>
      while (true) {
        val request = c.request()
        c.content()
        asked.add(request.parameters("PATH_INFO"))
        gate.acquire()
        c.stdout(request.id, "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\nok")
        c.end(request.id)
      }
    })
    val up   = UpstreamConfig(connections = 1, queueTime = 20.seconds, host = hostConfig)
    val host = new FastCgiHost(new Mount("/app"), workers(_ == 0, scripted.address, scripted.address), up)
    try
      serving(host.routes, serverConfig.copy(loops = 1)) { server =>
        val clients      = Vector.fill(3)(new RawClient(server.port))
        def send(n: Int) = {
          clients(n % 3).send(s"GET /app/$n HTTP/1.1\r\nHost: a\r\n\r\n")
          eventually(host.slots.inUse + host.slots.waiting == math.min(3, n + 1))
        }
        (0 until 3).foreach(send)
        for (n <- 0 until 30) {
          assertEquals(asked.poll(20, TimeUnit.SECONDS), s"/$n")
          gate.release()
          assertEquals(Answer(clients(n % 3).readUntil("\r\n\r\nok")).status, 200)
          if (n + 3 < 30) send(n + 3)
        }
        clients.foreach(_.close())
      }
    finally {
      gate.release(100)
      scripted.close()
    }
  }

  test("a request that waits too long for one that is not busy is refused: 503 with Retry-After") {
    val gate, asked = new CountDownLatch(1)
    val busy        = new ScriptedServer({ c =>
      c.request()
      asked.countDown()
      gate.await()
    })
    val up = UpstreamConfig(connections = 1, queueTime = 200.millis, host = hostConfig)
    try
      serving(fastcgi("/app", workers(_ == 0, busy.address, busy.address), up)) { server =>
        val first = client(server)
        asked.await()
        val second = Answer(client(server).readAll())
        assertEquals((second.status, second.header("Retry-After").isDefined), (503, true), second.raw)
        assertEquals(busy.accepted.get, 1)
        first.close()
      }
    finally {
      gate.countDown()
      busy.close()
    }
  }
}
