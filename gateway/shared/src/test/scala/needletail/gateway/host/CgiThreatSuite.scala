package needletail.gateway.host

import java.nio.file.{Files, Paths}

import scala.concurrent.duration._

import needletail.server.{RawClient, RunningServer}

/** What other people's programs, and those who call them, do to a server that runs them. */
class CgiThreatSuite extends Hosted {
  sh("env", "printf 'Content-Type: text/plain\\n\\n'", "env")
  sh("ok", "printf 'Content-Type: text/plain\\n\\nok'")

  /** The same server for all tests that need no settings of their own. */
  private def safely(body: RunningServer => Unit): Unit = hosting() { server =>
    get(server, "/cgi-bin/ok") // all threads are there
    leavingNothing(body(server))
  }

  private def quick[A](limit: FiniteDuration)(body: => A): A = {
    val began  = System.nanoTime()
    val result = body
    val took   = (System.nanoTime() - began).nanos
    assert(took < limit, s"it took ${took.toMillis} ms")
    result
  }

  // What it is told

  test("httpoxy: the Proxy header never becomes HTTP_PROXY (CVE-2016-5385)") {
    safely { server =>
      for (name <- List("Proxy", "PROXY", "proxy")) {
        val answer = get(server, "/cgi-bin/env", s"$name: http://evil.example")
        assert(answer.status == 200 && !answer.body.contains("evil"), answer.raw)
      }
    }
  }

  test(
    "headers that would collide once their hyphens are underscores, and forged HTTP_ ones, do not get in"
  ) {
    safely { server =>
      val answer = get(
        server,
        "/cgi-bin/env",
        "X_Forwarded_For: evil",
        "X-Forwarded-For: 192.0.2.1",
        "HTTP_X_REAL_IP: evil",
        "Content_Length: 666evil",
        "X.Forwarded.For: evil",
        "REMOTE_USER: evil",
        "Remote-User: shown"
      )
      assertEquals(answer.variable("HTTP_X_FORWARDED_FOR"), Some("192.0.2.1"))
      assertEquals(answer.variable("HTTP_REMOTE_USER"), Some("shown"))
      assertEquals(answer.variable("REMOTE_USER"), None)
      assert(!answer.body.contains("evil"), answer.body)
    }
  }

  test("credentials and what concerns the connection alone are not handed on") {
    safely { server =>
      val answer = get(
        server,
        "/cgi-bin/env",
        "Authorization: Basic c2VjcmV0",
        "Proxy-Authorization: Basic c2VjcmV0",
        "Connection: X-Hop",
        "X-Hop: c2VjcmV0",
        "TE: trailers"
      )
      assert(!answer.body.contains("c2VjcmV0") && !answer.body.contains("HTTP_TE"), answer.body)
      assertEquals(answer.variable("HTTP_CONNECTION"), None)
    }
  }

  // What it is: paths

  test("no path leads out of the directory, however it is written") {
    Files.write(directory.getParent.resolve("needletail-secret"), "#!/bin/sh\nprintf '\\n\\nsecret'".getBytes)
    val secret = directory.getParent.resolve("needletail-secret").toFile
    secret.setExecutable(true)
    write(".hidden", "#!/bin/sh\nprintf 'A: b\\n\\nsecret'\n")
    write("sub/.git/hook", "#!/bin/sh\nprintf 'A: b\\n\\nsecret'\n")
    try
      safely { server =>
        for (
          path <- List(
            "/cgi-bin/../needletail-secret",
            "/cgi-bin/%2e%2e/needletail-secret",
            "/cgi-bin/%2E./needletail-secret",
            "/cgi-bin/..%2fneedletail-secret",
            "/cgi-bin/..%2Fneedletail-secret",
            "/cgi-bin/sub/../../needletail-secret",
            "/cgi-bin/sub%2f..%2f..%2fneedletail-secret",
            "/cgi-bin/%252e%252e/needletail-secret",
            "/cgi-bin/..%5cneedletail-secret",
            "/cgi-bin//needletail-secret",
            "/cgi-bin/.hidden",
            "/cgi-bin/%2ehidden",
            "/cgi-bin/sub/.git/hook",
            s"/cgi-bin/${secret.getPath}",
            "/cgi-bin/",
            "/cgi-bin",
            "/cgi-bin/sub"
          )
        ) {
          val answer = get(server, path)
          assertEquals(answer.status, 404, s"$path: ${answer.raw}")
          assert(!answer.raw.contains("secret"), path)
        }
      }
    finally { secret.delete(); () }
  }

  test("a NUL in the path, escapes that are none and such that are no UTF-8 are refused") {
    safely { server =>
      for (path <- List("/cgi-bin/ok%00.txt", "/cgi-bin/ok/a%00b", "/cgi-bin/%c3%28", "/cgi-bin/%zz"))
        assertEquals(get(server, path).status, 400, path)
    }
  }

  test("a symbolic link out of the directory is not followed, one within is") {
    write("real/tool", "#!/bin/sh\nprintf 'A: b\\n\\ninside'\n")
    Files.createSymbolicLink(directory.resolve("inside"), directory.resolve("real/tool"))
    Files.createSymbolicLink(directory.resolve("shell"), Paths.get("/bin/sh"))
    Files.createSymbolicLink(directory.resolve("bin"), Paths.get("/bin"))
    Files.createSymbolicLink(directory.resolve("loop"), directory.resolve("loop"))
    safely { server =>
      assertEquals(get(server, "/cgi-bin/inside").body, "inside")
      for (path <- List("shell", "bin/sh", "loop", "bin"))
        assertEquals(get(server, s"/cgi-bin/$path").status, 404, path)
    }
  }

  test("what cannot be run is refused, told in the log, and nothing of it to the client") {
    write("plain", "#!/bin/sh\necho\n", executable = false)
    write("text", "This is no program.\n")
    write("lost", "#!/no/such/interpreter\n")
    write("empty", "")
    safely { server =>
      assertEquals(get(server, "/cgi-bin/none").status, 404)
      val answers =
        List("plain" -> 403, "text" -> 502, "lost" -> 502, "empty" -> 502).map { case (name, status) =>
          val answer = get(server, s"/cgi-bin/$name")
          assertEquals(answer.status, status, s"$name: ${answer.raw}")
          assert(log.text.contains(s"/cgi-bin/$name:"), s"$name in ${log.text}")
          answer
        }
      answers.foreach(answer =>
        assert(!answer.raw.contains(directory.toString) && !answer.raw.contains("interpreter"))
      )
    }
  }

  // What it does with its pipes

  test("a program that writes a megabyte to standard error first") {
    sh(
      "noisy",
      "i=0; while [ $i -lt 1024 ]; do printf '%01023d\\n' $i >&2; i=$((i+1)); done",
      "printf 'Content-Type: text/plain\\n\\nquiet'"
    )
    safely { server =>
      assertEquals(get(server, "/cgi-bin/noisy").body, "quiet")
      eventually(log.text.contains("/cgi-bin/noisy: more on standard error is left out"))
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
      assert(answer.body == "first:" + body, s"${answer.body.length} octets")
    }
  }

  test("a program that writes more than its client takes waits, and ends with the client") {
    sh("flood", "printf 'Content-Type: text/plain\\n\\n'", "exec cat /dev/zero")
    safely { server =>
      val client = new RawClient(server.port).send("GET /cgi-bin/flood HTTP/1.1\r\nHost: a\r\n\r\n")
      client.readUntil("\r\n\r\n")
      Thread.sleep(300) // long enough to fill all there is
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
      assertEquals(quick(5.seconds)(get(server, "/cgi-bin/parent")).body, "parent")
    }
    // it was left alone, as it was not in anybody's way
    val pid = contents(s"$directory/grandchild").trim
    assert(contents(s"/proc/$pid/stat").contains("sleep"))
    assertEquals(new ProcessBuilder("/bin/sh", "-c", s"kill $pid").start().waitFor(), 0)
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
          "crash"
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

  test("local redirects in a circle end with 502") {
    sh("circle", "printf 'Location: /cgi-bin/circle?again\\n\\n'")
    hosting(cgiConfig.copy(processes = 1, queue = 4)) { server =>
      leavingNothing(assertEquals(get(server, "/cgi-bin/circle").status, 502))
      assert(log.text.contains("more than 10 local redirects"), log.text)
    }
  }

  // Its end

  test("a time-out ends the whole process group, and nothing of it is left: 504") {
    sh("stuck", "sleep 301.5 &", "sleep 301.5")
    sh("stubborn", "trap '' TERM", "sleep 301.5 &", "while true; do sleep 0.1; done")
    val config = cgiConfig.copy(host = hostConfig.copy(timeout = 300.millis))
    hosting(config) { server =>
      get(server, "/cgi-bin/ok")
      leavingNothing {
        for (name <- List("stuck", "stubborn")) {
          val answer = quick(5.seconds)(get(server, s"/cgi-bin/$name"))
          assertEquals(answer.status, 504, answer.raw)
        }
      }
      eventually(processes("301.5").isEmpty, processes("301.5"))
    }
  }

  test("a program that stops in the middle of its answer is ended, and the client can tell") {
    sh("half", "printf 'Content-Type: text/plain\\n\\nhalf'", "sleep 302.5")
    hosting(cgiConfig.copy(host = hostConfig.copy(timeout = 1500.millis))) { server =>
      leavingNothing {
        val answer = quick(5.seconds)(get(server, "/cgi-bin/half"))
        assert(
          answer.status == 200 && answer.raw.contains("half") && !answer.raw.endsWith("0\r\n\r\n"),
          answer.raw
        )
      }
    }
  }

  test("a program that goes on after its answer is ended in time, and counts as running until then") {
    sh("long", "printf 'Content-Type: text/plain\\nContent-Length: 4\\n\\nlong'", "exec sleep 303.5")
    val config =
      cgiConfig.copy(
        processes = 1,
        queue = 1,
        queueTime = 8.seconds,
        host = hostConfig.copy(timeout = 2.seconds)
      )
    hosting(config) { server =>
      leavingNothing {
        assertEquals(get(server, "/cgi-bin/long").body, "long")
        assertEquals(processes("303.5").length, 1)
        assertEquals(get(server, "/cgi-bin/ok").body, "ok")
        assertEquals(processes("303.5"), Nil)
      }
    }
  }

  test("a client that goes away stops the program") {
    sh("waits", "sleep 304.5")
    safely { server =>
      val client = new RawClient(server.port).send("GET /cgi-bin/waits HTTP/1.1\r\nHost: a\r\n\r\n")
      eventually(processes("304.5").nonEmpty)
      client.close()
      eventually(processes("304.5").isEmpty, processes("304.5"))
    }
  }

  test("a server that ends takes its programs with it") {
    sh("stays", "sleep 305.5")
    hosting() { server =>
      val client = new RawClient(server.port).send("GET /cgi-bin/stays HTTP/1.1\r\nHost: a\r\n\r\n")
      eventually(processes("305.5").nonEmpty)
      scala.concurrent.Await.result(server.close(), 10.seconds)
      client.close()
    }
    eventually(processes("305.5").isEmpty && processes(directory.toString).isEmpty, processes("305.5"))
  }

  test("processes are bounded, and so is the queue for them: then 503 with Retry-After") {
    sh("busy", "while [ ! -e busy.gate ]; do sleep 0.02; done", "printf 'Content-Type: text/plain\\n\\nbusy'")
    val config = cgiConfig.copy(processes = 1, queue = 1, queueTime = 2.seconds)
    val host   = new CgiHost(new Mount("/cgi-bin"), directory.toString, config)
    serving(host.routes) { server =>
      leavingNothing {
        val request = "GET /cgi-bin/busy HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        val running = new RawClient(server.port).send(request)
        eventually(processes(s"$directory/busy").nonEmpty)
        val waiting = new RawClient(server.port).send(request)
        eventually(host.slots.waiting == 1)
        val third = get(server, "/cgi-bin/busy")
        assertEquals((third.status, third.header("Retry-After").isDefined), (503, true), third.raw)
        val second = Answer(waiting.readAll())
        assertEquals((second.status, second.header("Retry-After").isDefined), (503, true), second.raw)
        write("busy.gate", "", executable = false)
        assertEquals(Answer(running.readAll()).body, "busy")
        assertEquals(get(server, "/cgi-bin/ok").body, "ok")
        List(running, waiting).foreach(_.close())
      }
      assertEquals((host.slots.inUse, host.slots.waiting), (0, 0))
    }
  }
}
