package needletail.gateway.host

import scala.concurrent.duration._

import needletail.gateway.host.incoming.Mount
import needletail.server.RawClient

/** What other people's programs do to a server by not ending, and how many of them there may be. */
class CgiEndThreatSuite extends Hosted {
  sh("ok", "printf 'Content-Type: text/plain\\n\\nok'")

  // Its end

  test("a timeout ends the whole process group, and nothing of it is left: 504") {
    sh("stuck", s"sleep ${own(301)} &", s"sleep ${own(301)}")
    sh("stubborn", "trap '' TERM", s"sleep ${own(301)} &", "while true; do sleep 0.1; done")
    val config = cgiConfig.copy(host = hostConfig.copy(timeout = 300.millis))
    hosting(config) { server =>
      get(server, "/cgi-bin/ok")
      leavingNothing {
        for (name <- List("stuck", "stubborn")) {
          val answer = quick(20.seconds)(get(server, s"/cgi-bin/$name"))
          assertEquals(answer.status, 504, answer.raw)
        }
      }
      eventually(processes(own(301)).isEmpty, processes(own(301)))
    }
  }

  test("a program that stops in the middle of its answer is ended, and the client can tell") {
    sh("half", "printf 'Content-Type: text/plain\\n\\nhalf'", s"sleep ${own(302)}")
    hosting(cgiConfig.copy(host = hostConfig.copy(timeout = 8.seconds))) { server =>
      leavingNothing {
        val answer = quick(20.seconds)(get(server, "/cgi-bin/half"))
        assert(
          answer.status == 200 && answer.raw.contains("half") && !answer.raw.endsWith("0\r\n\r\n"),
          answer.raw
        )
      }
    }
  }

  test("a program that goes on after its answer is ended in time, and counts as running until then") {
    sh("long", "printf 'Content-Type: text/plain\\nContent-Length: 4\\n\\nlong'", s"exec sleep ${own(303)}")
    val config =
      cgiConfig.copy(
        processes = 1,
        queue = 1,
        queueTime = 20.seconds,
        host = hostConfig.copy(timeout = 8.seconds)
      )
    hosting(config) { server =>
      leavingNothing {
        assertEquals(get(server, "/cgi-bin/long").body, "long")
        eventually(processes(own(303)).length == 1, processes(own(303))) // not before the shell has become it
        assertEquals(get(server, "/cgi-bin/ok").body, "ok")
        assertEquals(processes(own(303)), Nil)
      }
    }
  }

  test("a program that writes without end after its answer is ended in time") {
    sh("writes", "printf 'Content-Type: text/plain\\nContent-Length: 4\\n\\nlong'", s"exec yes ${own(306)}")
    sh("leads", "printf 'Location: /cgi-bin/ok\\n\\n'", s"exec yes ${own(306)}")
    hosting(cgiConfig.copy(host = hostConfig.copy(timeout = 6.seconds))) { server =>
      leavingNothing {
        assertEquals(get(server, "/cgi-bin/writes").body, "long")
        eventually(processes(own(306)).isEmpty, processes(own(306)))
        assertEquals(get(server, "/cgi-bin/leads").body, "ok")
        eventually(processes(own(306)).isEmpty, processes(own(306)))
      }
    }
  }

  test("a client that goes away stops the program") {
    sh("waits", s"sleep ${own(304)}")
    safely { server =>
      val client = new RawClient(server.port).send("GET /cgi-bin/waits HTTP/1.1\r\nHost: a\r\n\r\n")
      eventually(processes(own(304)).nonEmpty)
      client.close()
      eventually(processes(own(304)).isEmpty, processes(own(304)))
    }
  }

  test("a server that ends takes its programs with it") {
    sh("stays", s"sleep ${own(305)}")
    hosting() { server =>
      val client = new RawClient(server.port).send("GET /cgi-bin/stays HTTP/1.1\r\nHost: a\r\n\r\n")
      eventually(processes(own(305)).nonEmpty)
      scala.concurrent.Await.result(server.close(), 20.seconds)
      client.close()
    }
    eventually(processes(own(305)).isEmpty && processes(directory.toString).isEmpty, processes(own(305)))
  }

  test("processes are bounded, and so is the queue for them: then 503 with Retry-After, counted by reason") {
    sh("busy", "while [ ! -e busy.gate ]; do sleep 0.02; done", "printf 'Content-Type: text/plain\\n\\nbusy'")
    sh("none", "exit 1")
    val metrics = new HostMetrics
    val config  = cgiConfig.copy(
      processes = 1,
      queue = 1,
      queueTime = 2.seconds,
      host = hostConfig.copy(metrics = Some(metrics))
    )
    val host                            = new CgiHost(new Mount("/cgi-bin"), directory.toString, config)
    def shows(figures: String*): String = {
      val out = new needletail.metrics.MetricText
      metrics.write(out)
      figures.foreach(figure => assert(out.toString.contains(figure + "\n"), s"no $figure in $out"))
      out.toString
    }
    val labels = "host=\"/cgi-bin\",kind=\"cgi\""
    serving(host.routes) { server =>
      leavingNothing {
        val request = "GET /cgi-bin/busy HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        val running = new RawClient(server.port).send(request)
        eventually(processes(s"$directory/busy").nonEmpty)
        val waiting = new RawClient(server.port).send(request)
        eventually(host.slots.waiting == 1)
        shows(
          s"needletail_host_places{$labels} 1",
          s"needletail_host_places_taken{$labels} 1",
          s"needletail_host_requests_waiting{$labels} 1",
          s"needletail_host_processes{$labels} 1"
        )
        val third = get(server, "/cgi-bin/busy")
        assertEquals((third.status, third.header("Retry-After").isDefined), (503, true), third.raw)
        shows(s"needletail_host_refused_total{$labels,reason=\"queue_full\"} 1")
        val second = Answer(waiting.readAll())
        assertEquals((second.status, second.header("Retry-After").isDefined), (503, true), second.raw)
        write("busy.gate", "", executable = false)
        assertEquals(Answer(running.readAll()).body, "busy")
        assertEquals(get(server, "/cgi-bin/ok").body, "ok")
        assertEquals(get(server, "/cgi-bin/none").status, 502)
        List(running, waiting).foreach(_.close())
      }
      assertEquals((host.slots.inUse, host.slots.waiting), (0, 0))
      shows(
        s"needletail_host_places_taken{$labels} 0",
        s"needletail_host_processes{$labels} 0",
        s"needletail_host_requests_total{$labels} 3",
        s"needletail_host_refused_total{$labels,reason=\"queue_full\"} 1",
        s"needletail_host_refused_total{$labels,reason=\"queue_timeout\"} 1",
        s"needletail_host_refused_total{$labels,reason=\"system\"} 0",
        s"needletail_host_failures_total{$labels,code=\"502\"} 1",
        s"needletail_host_failures_total{$labels,code=\"504\"} 0"
      )
    }
  }
}
