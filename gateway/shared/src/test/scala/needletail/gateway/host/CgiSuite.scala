package needletail.gateway.host

import java.nio.file.{Files, Paths}
import java.util.concurrent.atomic.AtomicInteger

import needletail.gateway.host.process.Spawner
import needletail.http.Response
import needletail.routing._
import needletail.server.RawClient

/** Programs of a directory as routes: their variables and their responses. */
class CgiSuite extends Hosted {
  sh("hello", "echo 'Content-Type: text/plain'", "echo", "echo Hello, $QUERY_STRING.")
  sh("env", "printf 'Content-Type: text/plain\\r\\n\\r\\n'", "env")
  sh("echo", "echo \"Content-Type: $CONTENT_TYPE\"", "echo \"X-Length: $CONTENT_LENGTH\"", "echo", "cat")
  sh("tools/where", "echo 'Content-Type: text/plain'", "echo", "pwd")

  test("a shell script answers") {
    hosting() { server =>
      val answer = get(server, "/cgi-bin/hello?Ann")
      assertEquals(answer.status, 200, answer.raw)
      assertEquals(answer.header("Content-Type"), Some("text/plain"))
      assertEquals(answer.body, "Hello, Ann.\n")
    }
  }

  test("a program in another language") {
    val python =
      List("/usr/bin/python3", "/usr/local/bin/python3").find(path => Files.exists(Paths.get(path)))
    python match {
      case None       => println("SKIPPED: no python3 in /usr/bin or /usr/local/bin")
      case Some(path) =>
        write(
          "sum.py",
          s"#!$path\nimport os, sys\nn = sum(int(x) for x in sys.stdin.read(int(os.environ['CONTENT_LENGTH'])).split())\n" +
            "sys.stdout.write('Status: 201 Summed\\nContent-Type: text/plain\\n\\n%d' % n)\n"
        )
        hosting() { server =>
          val answer = post(server, "/cgi-bin/sum.py", "1 2 3")
          assertEquals((answer.status, answer.body), (201, "6"), answer.raw + log.text)
        }
    }
  }

  test("each variable is there once: the request's own comes before one of the configuration") {
    assume(java.nio.file.Files.exists(java.nio.file.Paths.get("/proc/self/environ")), "there is no /proc")
    sh("raw", "printf 'Content-Type: text/plain\\n\\n'", "tr '\\0' '\\n' < /proc/$$/environ")
    val both = cgiConfig.environment ++ Map("SERVER_NAME" -> "configured", "OWN" -> "1")
    hosting(cgiConfig.copy(environment = both)) { server =>
      val lines = get(server, "/cgi-bin/raw").body.split('\n').toList
      assertEquals(lines.filter(_.startsWith("SERVER_NAME=")), List("SERVER_NAME=example.org"))
      assertEquals(lines.filter(_.startsWith("OWN=")), List("OWN=1"))
    }
  }

  test("it is told all that RFC 3875 defines") {
    hosting() { server =>
      val answer = get(
        server,
        "/cgi-bin/env/a%20b/c?x=1&y",
        "Accept: text/html",
        "X-Twice: 1",
        "X-Twice: 2",
        "Cookie: a=1",
        "Cookie: b=2"
      )
      def is(name: String, value: String) =
        assertEquals(answer.variable(name), Some(value), s"$name in ${answer.raw}")
      is("GATEWAY_INTERFACE", "CGI/1.1")
      is("SERVER_SOFTWARE", "Needletail")
      is("SERVER_PROTOCOL", "HTTP/1.1")
      is("SERVER_NAME", "example.org")
      is("SERVER_PORT", server.port.toString)
      is("SERVER_ADDR", "127.0.0.1")
      is("REMOTE_ADDR", "127.0.0.1")
      is("REQUEST_METHOD", "GET")
      is("REQUEST_URI", "/cgi-bin/env/a%20b/c?x=1&y")
      is("QUERY_STRING", "x=1&y")
      is("SCRIPT_NAME", "/cgi-bin/env")
      is("PATH_INFO", "/a b/c")
      is("PATH_TRANSLATED", s"$directory/a b/c")
      is("SCRIPT_FILENAME", s"$directory/env")
      is("DOCUMENT_ROOT", directory.toString)
      is("HTTP_ACCEPT", "text/html")
      is("HTTP_HOST", "example.org:8080")
      is("HTTP_X_TWICE", "1, 2")
      is("HTTP_COOKIE", "a=1; b=2")
      assertEquals(answer.variable("CONTENT_LENGTH"), None)
      assert(answer.variable("REMOTE_PORT").exists(_.toInt > 0))
    }
  }

  test("it runs in its own directory, in sub-directories too, with a clean environment") {
    hosting() { server =>
      assertEquals(get(server, "/cgi-bin/tools/where/more").body, s"$directory/tools\n")
      val answer = get(server, "/cgi-bin/env")
      assertEquals(answer.variable("PATH"), Some("/usr/local/bin:/usr/bin:/bin"))
      assertEquals(answer.variable("HOME"), None)
      assertEquals(answer.variable("PATH_INFO"), None)
    }
  }

  test("it is given the content, and its length and type") {
    hosting() { server =>
      val text   = "0123456789" * 30000
      val answer = post(server, "/cgi-bin/echo", text, "Content-Type: text/x-digits")
      assertEquals(answer.header("X-Length"), Some(text.length.toString))
      assertEquals(answer.header("Content-Type"), Some("text/x-digits"))
      assert(answer.body == text, s"${answer.body.length} of ${text.length}")
    }
  }

  test("its answer is streamed as it comes") {
    sh(
      "slow",
      "echo 'Content-Type: text/plain'",
      "echo",
      "echo first",
      "while [ ! -e gate ]; do sleep 0.02; done",
      "echo second"
    )
    hosting() { server =>
      val client = new RawClient(server.port).send("GET /cgi-bin/slow HTTP/1.1\r\nHost: a\r\n\r\n")
      assert(client.readUntil("first\n").startsWith("HTTP/1.1 200 OK"))
      write("gate", "", executable = false)
      assert(client.readUntil("0\r\n\r\n").contains("second\n"))
      client.close()
    }
  }

  test("Status, Location and fields of its own go out; the framing is ours") {
    sh(
      "status",
      "printf 'Status: 418 Teapot\\nX-Own: yes\\nTransfer-Encoding: gzip\\nConnection: X-Hop\\nX-Hop: 1\\n\\nshort'"
    )
    sh("moved", "printf 'Location: https://example.org/there\\n\\n'")
    sh("length", "printf 'Content-Type: text/plain\\nContent-Length: 5\\n\\n12345678'")
    hosting() { server =>
      val teapot = get(server, "/cgi-bin/status")
      assertEquals(
        (teapot.status, teapot.header("X-Own"), teapot.header("X-Hop"), teapot.body),
        (418, Some("yes"), None, "short")
      )
      val moved = get(server, "/cgi-bin/moved")
      assertEquals((moved.status, moved.header("Location")), (302, Some("https://example.org/there")))
      assertEquals(get(server, "/cgi-bin/length").raw.takeRight(9), "\r\n\r\n12345")
    }
  }

  test("HEAD has the head and lets the program end in peace") {
    sh(
      "head",
      "printf 'Content-Type: text/plain\\n\\n'",
      "echo body",
      "sleep 0.1",
      s"echo done > $directory/head.done"
    )
    hosting() { server =>
      val answer = ask(server, "HEAD /cgi-bin/head HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      assertEquals((answer.status, answer.raw.endsWith("\r\n\r\n")), (200, true))
      eventually(Files.exists(directory.resolve("head.done")))
    }
  }

  test("a local redirect is answered here, one to elsewhere by the client or by routes that are named") {
    sh("local", "printf 'Location: /cgi-bin/hello?redirected\\n\\n'")
    sh("away", "printf 'Location: /other\\n\\n'")
    hosting() { server =>
      assertEquals(get(server, "/cgi-bin/local").body, "Hello, redirected.\n")
      val away = get(server, "/cgi-bin/away")
      assertEquals((away.status, away.header("Location")), (302, Some("/other")))
    }
    lazy val all: Routes = Routes(
      cgi(
        "/cgi-bin",
        directory.toString,
        cgiConfig.copy(host = hostConfig.copy(redirects = Some(() => all)))
      ),
      GET / "other" to Response.ok("from another route")
    )
    serving(all)(server => assertEquals(get(server, "/cgi-bin/away").body, "from another route"))
  }

  test("one connection serves one request after another, also behind content that a program has not read") {
    hosting() { server =>
      val client = new RawClient(server.port)
      for (i <- 1 to 3) {
        client.send(s"GET /cgi-bin/hello?$i HTTP/1.1\r\nHost: a\r\n\r\n")
        assert(client.readUntil("0\r\n\r\n").contains(s"Hello, $i."))
        client.send(
          "POST /cgi-bin/hello?post HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n" + "x" * 20000
        )
        assert(client.readUntil("0\r\n\r\n").contains("Hello, post."))
      }
      client.close()
    }
  }

  test("paths beyond ASCII are bytes") {
    // the JVM encodes an environment as the locale has it
    if (Spawner.handsOverSockets)
      hosting() { server =>
        assertEquals(get(server, "/cgi-bin/env/%C3%A9").variable("PATH_INFO"), Some("/\u00c3\u00a9"))
        assertEquals(get(server, "/cgi-bin/env", "X-Latin: \u00e9").variable("HTTP_X_LATIN"), Some("\u00e9"))
      }
  }

  test("they are routes like any other: a bulkhead holds for them") {
    sh("nap", "while [ ! -e nap.gate ]; do sleep 0.02; done", "printf 'Content-Type: text/plain\\n\\nnap'")
    serving(cgi("/cgi-bin", directory.toString, cgiConfig).limit(inFlight = 1)) { server =>
      val first =
        new RawClient(server.port).send("GET /cgi-bin/nap HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      eventually(processes(s"$directory/nap").nonEmpty)
      assertEquals(get(server, "/cgi-bin/nap").status, 503)
      write("nap.gate", "", executable = false)
      assertEquals(Answer(first.readAll()).body, "nap")
      first.close()
    }
  }

  test("many at once, and nothing is left of them") {
    hosting() { server =>
      get(server, "/cgi-bin/hello") // all threads are there
      leavingNothing {
        val right   = new AtomicInteger
        val threads = List.tabulate(8) { i =>
          val thread = new Thread(() =>
            for (k <- 1 to 5)
              if (get(server, s"/cgi-bin/hello?$i-$k").body == s"Hello, $i-$k.\n") right.incrementAndGet()
          )
          thread.start()
          thread
        }
        threads.foreach(_.join())
        assertEquals(right.get, 40)
      }
    }
  }
}
