package needletail.gateway.host

import java.nio.file.{Files, Paths}

/** What those who ask a server for programs try to have run, and told. */
class CgiRequestThreatSuite extends Hosted {
  sh("env", "printf 'Content-Type: text/plain\\n\\n'", "env")
  sh("ok", "printf 'Content-Type: text/plain\\n\\nok'")

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
          val answer      = get(server, path)
          val isAmbiguous = path.toLowerCase.contains("..%2f")
          assertEquals(answer.status, if (isAmbiguous) 400 else 404, s"$path: ${answer.raw}")
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
}
