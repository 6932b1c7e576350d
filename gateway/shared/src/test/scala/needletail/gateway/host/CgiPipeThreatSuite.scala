package needletail.gateway.host

import java.nio.file.Files

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.gateway.host.incoming.Mount
import needletail.gateway.host.process.Spawner
import needletail.server.{Log, RawClient}

/** What other people's programs do to a server with their pipes: by what they read, write, and leave open. */
class CgiPipeThreatSuite extends Hosted {
  sh("ok", "printf 'Content-Type: text/plain\\n\\nok'")

  // What it does with its pipes

  test("a program that writes a megabyte to standard error first") {
    sh(
      "noisy",
      "i=0; while [ $i -lt 1024 ]; do printf '%01023d\\n' $i >&2; i=$((i+1)); done",
      "printf 'Content-Type: text/plain\\n\\nquiet'"
    )
    safely { server =>
      assertEquals(get(server, "/cgi-bin/noisy").body, "quiet")
      eventually(log.text.contains("/cgi-bin/noisy: further output on standard error is omitted"))
      assert(log.text.length < 200000, s"${log.text.length} characters of log")
    }
  }

  test("a program that never reads the 10 MB that there are for it") {
    sh("deaf", "printf 'Content-Type: text/plain\\n\\ndeaf'")
    safely { server =>
      assertEquals(post(server, "/cgi-bin/deaf", "x" * 10000000).body, "deaf")
      assertEquals(get(server, "/cgi-bin/ok").body, "ok")
    }
  }

  test("a program that answers before it reads, and then gives back what it reads") {
    sh("eager", "printf 'Content-Type: text/plain\\n\\nfirst:'", "exec cat")
    safely { server =>
      val body   = "0123456789" * 100000
      val answer = post(server, "/cgi-bin/eager", body)
      assert(answer.body == "first:" + body, s"${answer.body.length} bytes")
    }
  }

  test("a program that writes more than its client takes waits, and ends with the client") {
    sh("flood", "printf 'Content-Type: text/plain\\n\\n'", "exec cat /dev/zero")
    safely { server =>
      val client = new RawClient(server.port).send("GET /cgi-bin/flood HTTP/1.1\r\nHost: a\r\n\r\n")
      client.readUntil("\r\n\r\n")
      untilStill(Await.result(server.statistics, 20.seconds).bytesWritten) // all there is has been filled
      client.close()
    }
  }

  test("grandchildren that hold the pipe don't hold the request") {
    sh(
      "parent",
      "printf 'Content-Type: text/plain\\n\\nparent'",
      s"sleep 300.25 & echo $$! > $directory/grandchild"
    )
    safely { server =>
      assertEquals(quick(20.seconds)(get(server, "/cgi-bin/parent")).body, "parent")
    }
    // it was left alone, as it was not in anybody's way
    val pid  = contents(s"$directory/grandchild").trim
    def stat = contents(s"/proc/$pid/stat")
    eventually(stat.contains("sleep"), stat) // until then it is still the shell that becomes it
    assertEquals(new ProcessBuilder("/bin/sh", "-c", s"kill $pid").start().waitFor(), 0)
  }

  test("grandchildren that write without end hold neither the request nor those of others") {
    sh("flows", "printf 'Content-Type: text/plain\\n\\nflows'", s"cat /dev/zero $directory/none &")
    sh(
      "complains",
      "printf 'Content-Type: text/plain\\n\\ncomplains'",
      s"cat /dev/zero $directory/none >&2 &"
    )
    hosting() { server =>
      get(server, "/cgi-bin/ok")
      for (name <- List("flows", "complains", "flows", "complains")) {
        val client = new RawClient(server.port)
        client.send(s"GET /cgi-bin/$name HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        quick(20.seconds)(assertEquals(get(server, "/cgi-bin/ok").body, "ok"))
        val answer = quick(20.seconds)(Answer(client.readAll()))
        assert(answer.status == 200 && answer.body.startsWith(name), answer.raw.take(200))
        // it is over, and said to be
        assert(answer.raw.endsWith("0\r\n\r\n"), answer.raw.takeRight(20))
        client.close()
      }
      eventually(processes(s"$directory/none").isEmpty, processes(s"$directory/none"))
    }
  }

  test(
    "a program's output before its end arrives completely, even if other processes hold the pipe or many run"
  ) {
    val bytes = 200000
    sh(
      "whole",
      "printf 'Content-Type: text/plain\\n\\n'",
      s"sleep 2 &",
      s"head -c $bytes /dev/zero | tr '\\000' x"
    )
    hosting() { server =>
      val clients = List.fill(24)(new RawClient(server.port))
      clients.foreach(_.send("GET /cgi-bin/whole HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
      clients.foreach { client =>
        client.socket.setSoTimeout(20000)
        val answer = Answer(client.readAll())
        assertEquals((answer.status, answer.body.length), (200, bytes))
        client.close()
      }
    }
  }

  test(
    "an answer without Content-Length ends with the program's output natively, on the JVM with the program"
  ) {
    // each goes on until it may end, and then says that it has
    def end(name: String) =
      s"while [ ! -e $directory/$name.may ]; do sleep 0.05; done; : > $directory/$name.has"
    sh("done", "printf 'Content-Type: text/plain\\n\\ndone'", "exec >&-", end("done"))
    sh("told", "printf 'Content-Length: 4\\nContent-Type: text/plain\\n\\ntold'", end("told"))
    def mayEnd(name: String)   = Files.createFile(directory.resolve(s"$name.may"))
    def hasEnded(name: String) = Files.exists(directory.resolve(s"$name.has"))
    hosting() { server =>
      get(server, "/cgi-bin/ok")
      if (!Spawner.handsOverSockets) mayEnd("done")
      assertEquals(get(server, "/cgi-bin/done").body, "done")
      assertEquals(hasEnded("done"), !Spawner.handsOverSockets)
      if (Spawner.handsOverSockets) mayEnd("done")
      // one that says how long it is ends there on both
      assertEquals(get(server, "/cgi-bin/told").body, "told")
      assert(!hasEnded("told"))
      mayEnd("told")
      eventually(hasEnded("done") && hasEnded("told"))
    }
  }

  test("a program has no descriptors but 0, 1 and 2, and no signal is ignored or blocked") {
    sh("fds", "printf 'Content-Type: text/plain\\n\\n'", "exec ls /proc/self/fd")
    sh("signals", "printf 'Content-Type: text/plain\\n\\n'", "exec grep '^Sig' /proc/self/status")
    sh("group", "printf 'Content-Type: text/plain\\n\\n'", "echo $$; exec cut -d' ' -f5 /proc/self/stat")
    safely { server =>
      // 3 is what ls reads the directory by
      assertEquals(get(server, "/cgi-bin/fds").body.split('\n').toList, List("0", "1", "2", "3"))
      val lines =
        get(server, "/cgi-bin/signals").body.split('\n').map(_.split(":\\s*")).map(a => a(0) -> a(1)).toMap
      val ignore = java.lang.Long.parseUnsignedLong(lines("SigIgn"), 16)
      val block  = java.lang.Long.parseUnsignedLong(lines("SigBlk"), 16)
      val pipe   = 1L << 12
      assertEquals((ignore & pipe, block & pipe), (0L, 0L), lines)
      // The C library keeps 32 and 33 for itself; a JVM blocks some of its own.
      val all = (1L << 31) - 1
      if (Spawner.handsOverSockets) assertEquals((ignore & all, block & all), (0L, 0L), lines)
      val group = get(server, "/cgi-bin/group").body.trim.split('\n')
      assertEquals(group(0), group(1), "it leads a group of its own")
    }
  }

  // Content

  test("a chunked upload gets a CONTENT_LENGTH, from memory and from a file, up to a bound") {
    sh(
      "length",
      "printf 'Content-Type: text/plain\\n\\n'",
      "printf \"$CONTENT_LENGTH $HTTP_TRANSFER_ENCODING \"",
      "wc -c"
    )
    val config = cgiConfig.copy(host = hostConfig.copy(spoolMemory = 20000, maxSpool = 300000))
    hosting(config) { server =>
      get(server, "/cgi-bin/ok")
      leavingNothing {
        for (count <- List(1, 2, 25)) {
          val answer = ask(server, chunked("/cgi-bin/length", count))
          assertEquals(
            answer.body.split("\\s+").toList,
            List(s"${count * 10000}", s"${count * 10000}"),
            answer.raw
          )
        }
        assertEquals(ask(server, chunked("/cgi-bin/length", 31)).status, 413)
      }
    }
  }

  test("a chunked upload that cannot be kept is a 503, and one line in the log") {
    sh("length", "printf 'Content-Type: text/plain\\n\\n'", "wc -c")
    val said = new java.util.concurrent.ConcurrentLinkedQueue[String]
    val log  = new Log {
      def warn(message: String): Unit                    = { said.add(message); () }
      def error(message: String, cause: Throwable): Unit = { said.add(s"$message: $cause"); () }
    }
    val host   = hostConfig.copy(spoolMemory = 20000, spoolDirectory = Some("/nowhere/at/all"), log = log)
    val config = cgiConfig.copy(host = host)
    hosting(config) { server =>
      for (_ <- 1 to 2) assertEquals(ask(server, chunked("/cgi-bin/length", 25)).status, 503)
      assertEquals(ask(server, chunked("/cgi-bin/length", 2)).status, 200)
      val lines = said.toArray.toList.map(_.toString)
      assert(lines.nonEmpty && lines.forall(
        _.startsWith("the body of a request could not be kept in /nowhere/at/all")
      ))
    }
  }

  test("chunked uploads of slow clients have a bound in all, whatever may run: then 503 with Retry-After") {
    sh("length", "printf 'Content-Type: text/plain\\n\\n'", "wc -c")
    val metrics = new HostMetrics
    val config  = cgiConfig.copy(
      processes = 1,
      host = hostConfig.copy(
        spoolMemory = 0,
        maxSpool = 300000,
        maxSpoolTotal = 600000,
        metrics = Some(metrics)
      )
    )
    val host = new CgiHost(new Mount("/cgi-bin"), directory.toString, config)
    serving(host.routes) { server =>
      get(server, "/cgi-bin/ok")
      leavingNothing {
        val whole = chunked("/cgi-bin/length", 25)
        val slow  = List.fill(2)(new RawClient(server.port).send(whole.dropRight(5)))
        eventually(host.spool.inFiles == 500000)
        val refused = ask(server, whole)
        assertEquals((refused.status, refused.header("Retry-After").isDefined), (503, true), refused.raw)
        val out = new needletail.metrics.MetricText
        metrics.write(out)
        assert(out.toString.contains("reason=\"spool_full\"} 1\n"), out.toString)
        assertEquals(ask(server, chunked("/cgi-bin/length", 2)).status, 200)
        slow.foreach { client =>
          assertEquals(Answer(client.send(whole.takeRight(5)).readAll()).body.trim, "250000")
          client.close()
        }
        eventually(host.spool.inFiles == 0)
        assertEquals(ask(server, whole).status, 200)
      }
    }
  }

  private def chunked(path: String, chunks: Int): String =
    s"POST $path HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n" +
      ("2710\r\n" + "x" * 10000 + "\r\n") * chunks + "0\r\n\r\n"

  // Its answer

  test("answers that are none are 502, with a line in the log") {
    sh("silent", "exit 0")
    sh("headless", "echo 'no colon here'", "echo", "echo body")
    sh("endless", "printf 'Content-Type: text/plain\\n'")
    sh("huge", "printf 'X-Huge: %0100000d\\n\\nbody' 1")
    sh("blank", "printf '\\n\\nbody'")
    sh("status", "printf 'Status: 99\\n\\nbody'")
    sh("words", "printf 'Status: fine\\n\\nbody'")
    sh("early", "printf 'Status: 103\\n\\nbody'")
    sh("split", "printf 'X-A: b\\rSet-Cookie: c\\n\\nbody'")
    sh("lengths", "printf 'Content-Length: 1\\nContent-Length: 2\\n\\nbody'")
    sh("crash", "kill -SEGV $$")
    sh("nph-raw", "printf 'HTTP/1.1 200 OK\\r\\nConnection: close\\r\\n\\r\\nbody'") // no NPH here
    safely { server =>
      for (
        name <- List(
          "silent",
          "headless",
          "endless",
          "huge",
          "blank",
          "status",
          "words",
          "early",
          "split",
          "lengths",
          "crash",
          "nph-raw"
        )
      ) {
        val answer = get(server, s"/cgi-bin/$name")
        assertEquals((answer.status, answer.body), (502, "bad gateway"), s"$name: ${answer.raw.take(500)}")
        assert(log.text.contains(s"/cgi-bin/$name:"), name)
      }
    }
  }

  test("an answer shorter than it said is cut off, so that the client can tell") {
    sh("short", "printf 'Content-Length: 100\\n\\nshort'")
    safely { server =>
      val answer = get(server, "/cgi-bin/short")
      assertEquals((answer.header("Content-Length"), answer.body), (Some("100"), "short"))
    }
  }

  test(
    "a program that is ended by a signal has not finished its answer, and the client and the log can tell"
  ) {
    def head(length: String) = s"printf 'Content-Type: text/plain\\n$length\\nhalf'"
    sh("killed", head(""), "sleep 0.3", "kill -KILL $$")
    sh("sized", head("Content-Length: 8\\n"), "kill -KILL $$")
    sh("shell", head(""), "sh -c 'kill -SEGV $$'", "exit $?")
    sh("left", head(""), "sleep 2 &", "kill -KILL $$") // another process has its pipe
    safely { server =>
      for (
        (name, signal) <- List("killed" -> "9 (SIGKILL)", "shell" -> "11 (SIGSEGV)", "left" -> "9 (SIGKILL)")
      ) {
        val answer = quick(20.seconds)(get(server, s"/cgi-bin/$name"))
        // the whole may come at once, and then as a 502
        if (answer.status == 200)
          assert(answer.raw.contains("half") && !answer.raw.endsWith("0\r\n\r\n"), answer.raw)
        else assertEquals(answer.status, 502, answer.raw)
        eventually(
          log.text.contains(s"/cgi-bin/$name: its response was cut off: it was ended by signal $signal")
        )
      }
      val sized = get(server, "/cgi-bin/sized")
      assert(sized.status == 502 || sized.body == "half", sized.raw)
    }
  }

  test("any other status leaves an answer as it is") {
    for (status <- List(1, 127, 128, 141, 193, 255))
      sh(s"exits-$status", "printf 'Content-Type: text/plain\\n\\nwhole'", s"exit $status")
    safely { server =>
      for (status <- List(1, 127, 128, 141, 193, 255)) {
        val answer = get(server, s"/cgi-bin/exits-$status")
        assert(answer.body == "whole" && answer.raw.endsWith("0\r\n\r\n"), answer.raw)
      }
    }
  }

  test("local redirects in a circle end with 502") {
    sh("circle", "printf 'Location: /cgi-bin/circle?again\\n\\n'")
    hosting(cgiConfig.copy(processes = 1, queue = 4)) { server =>
      leavingNothing(assertEquals(get(server, "/cgi-bin/circle").status, 502))
      assert(log.text.contains("more than 10 local redirects"), log.text)
    }
  }
}
