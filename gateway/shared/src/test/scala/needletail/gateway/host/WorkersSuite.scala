package needletail.gateway.host

import scala.concurrent.duration._

import needletail.gateway.host.process.Spawner

/** Processes of ours: started, looked after, ended. That they serve FastCGI is tested where there are such programs. */
class WorkersSuite extends Hosted {
  private def config(name: String, lines: String*) = {
    sh(name, lines*)
    WorkersConfig(
      List(s"$directory/$name", "{socket}"),
      count = 2,
      restartDelay = 20.millis,
      maxRestartDelay = 200.millis,
      stopGrace = 300.millis,
      log = log
    )
  }

  private def working[A](config: WorkersConfig)(body: Workers => A): A = {
    val workers = Workers(config)
    try body(workers)
    finally workers.close()
  }

  private def kill(pid: Long): Unit = {
    assertEquals(new ProcessBuilder("/bin/sh", "-c", s"kill -9 $pid").start().waitFor(), 0)
    ()
  }

  test("the configured number of processes run, each with a socket of its own, until close") {
    leavingNothing {
      val workers = Workers(config("waits", s"echo \"at $$1\"; echo oops >&2; exec sleep ${own(401)}"))
      try {
        eventually(workers.pids.length == 2 && processes(own(401)).length == 2, processes(own(401)))
        def said(what: String) = log.text.split('\n').count(_.contains(s"waits: $what"))
        eventually(said("oops") == 2 && said("at /") == 2, log.text)
      } finally workers.close()
      eventually(processes(own(401)).isEmpty, processes(own(401)))
      workers.close()
    }
  }

  test("one that ends is started again, and both are shown") {
    working(config("again", "exec sleep 402.5")) { workers =>
      val metrics = new HostMetrics
      fastcgi("/app", workers, UpstreamConfig(host = hostConfig.copy(metrics = Some(metrics))))
      eventually(workers.pids.length == 2)
      val before = workers.pids
      kill(before.head)
      eventually {
        val now = workers.pids // asked once: between two looks one may end
        now.length == 2 && now != before
      }
      assertEquals(workers.restarts, 1)
      val shown = new needletail.metrics.MetricText
      metrics.write(shown)
      for (
        line <- List(
          "needletail_host_processes{host=\"/app\",kind=\"fastcgi\"} 2",
          "needletail_host_restarts_total{host=\"/app\",kind=\"fastcgi\"} 1"
        )
      ) assert(shown.toString.contains(line + "\n"), shown)
      assert(log.text.contains(s"again: process ${before.head} has ended with status 137"), log.text)
    }
  }

  test("one that ends at once is started more and more seldom") {
    val began = System.nanoTime()
    working(config("fails", "exit 3")) { workers =>
      eventually(workers.restarts >= 12)
      // six of each, or more of one: 20, 40, 80, 160, 200, 200 ms, the last of which has only begun
      assert((System.nanoTime() - began).nanos >= 490.millis)
    }
  }

  test("a process is started again though the log throws") {
    val full = new ThrowingLines
    working(config("loud", "echo oops >&2", "exit 3").copy(log = full)) { workers =>
      eventually(workers.restarts >= 6)
      assert(full.text.contains("loud: oops") && full.text.contains("has ended with status 3"), full.text)
    }
    val missing = WorkersConfig(List(s"$directory/missing", "{socket}"), restartDelay = 20.millis, log = full)
    working(missing)(workers => eventually(workers.restarts >= 6))
  }

  test("a program that is not there is tried again, and told") {
    working(WorkersConfig(List(s"$directory/later", "{socket}"), 1, restartDelay = 20.millis, log = log)) {
      workers =>
        eventually(log.text.contains("a process could not be started"))
        sh("later", "exec sleep 403.5")
        eventually(workers.pids.nonEmpty)
    }
  }

  test("what does not end when it is asked is killed, with all that it has started") {
    leavingNothing {
      working(config("stubborn", "trap '' TERM", s"sleep ${own(404)} &", "while true; do sleep 0.1; done")) {
        _ =>
          eventually(processes(own(404)).length >= 2)
      }
      eventually(processes(own(404)).isEmpty, processes(own(404)))
    }
  }

  test("what they write while they end is logged, and does not end them early") {
    val ends = config(
      "ends",
      "trap 'sleep 0.3; echo last; echo oops >&2; sleep 0.3; printf unended; touch \"$0.$$.over\"; exit 0' TERM",
      "echo ready",
      "while true; do sleep 0.05; done"
    )
    def said(what: String) = log.text.split('\n').count(_.endsWith(s"ends: $what"))
    def over = directory.toFile.list().count(name => name.startsWith("ends.") && name.endsWith(".over"))
    leavingNothing {
      working(ends.copy(stopGrace = 10.seconds)) { workers =>
        eventually(said("ready") == 2, log.text)
        workers.stuck(0, workers.process(0))
        eventually(said("ready") == 3, log.text)
        assertEquals((said("last"), said("oops"), over), (1, 1, 1), log.text)
      }
      assertEquals((said("last"), said("oops"), said("unended"), over), (3, 3, 3, 3), log.text)
    }
  }

  test("a request waits for a process that is not ready yet, and one that is stuck is started anew") {
    // It never listens, so that connections to it fail.
    working(config("mute", "exec sleep 405.5")) { workers =>
      val up = UpstreamConfig(connectTimeout = 300.millis, host = hostConfig)
      serving(fastcgi("/app", workers, up)) { server =>
        val began = System.nanoTime()
        assertEquals(get(server, "/app/x").status, 502)
        assert((System.nanoTime() - began).nanos >= 300.millis)
      }
      eventually(workers.pids.length == 2)
      val before = workers.pids
      workers.stuck(1, workers.process(1))
      eventually(workers.pids.length == 2 && workers.pids(1) != before(1))
      assertEquals(workers.pids.head, before.head)
    }
  }

  test("a process is not ended for what the one before it did not do") {
    working(config("fresh", "exec sleep 406.5")) { workers =>
      eventually(workers.pids.length == 2)
      val (first, before) = (workers.process(1), workers.pids)
      workers.stuck(1, first)
      eventually(workers.pids.length == 2 && workers.pids(1) != before(1) && workers.isReady(1))
      val now = workers.pids
      workers.stuck(1, first) // told late by another request
      assert(workers.isReady(1))
      workers.stuck(0, workers.process(0)) // once this has been carried out, so has that
      eventually(workers.pids.length == 2 && workers.pids.head != now.head)
      assertEquals(workers.pids(1), now(1))
    }
  }

  test("on the JVM a process must be told its socket; natively it can be handed over") {
    if (Spawner.handsOverSockets) {
      sh("holds", "exec ls -l /proc/self/fd")
      working(WorkersConfig(List(s"$directory/holds"), 1, restartDelay = 10.seconds, log = log)) { _ =>
        eventually(log.text.contains("0 -> socket:["), log.text)
      }
    } else {
      val e = intercept[IllegalArgumentException](Workers(WorkersConfig(List("/bin/true"))))
      assert(e.getMessage.contains("{socket}"))
    }
  }
}
