package needletail.conformance.exchange

import needletail.conformance.client.Framing
import needletail.conformance.harness.{After, ConformanceSuite, MUST, Message, Outcome, Program, SHOULD, Want}
import needletail.conformance.harness.Message.{head, target}
import needletail.conformance.harness.Outcome._

// A row of a table is a line.
// format: off

/** RFC 9110 §9: HEAD, OPTIONS, TRACE, and methods that a resource doesn't have. */
class MethodSuite extends ConformanceSuite {

  private def line(method: String, path: String, lines: String*): String =
    head(s"$method $path HTTP/1.1" +: "Host: a" +: lines: _*)

  private val notAllowed = Outcome(Seq(Want(Set(405))), After.Open)

  table("HEAD has the status of GET and no body")(
    MUST("9110 §9.3.2", "/plaintext", line("HEAD", "/plaintext"), ok("")),
    MUST("9110 §9.3.2", "/json", line("HEAD", "/json"), ok("")),
    MUST("9110 §9.3.2", "/big", line("HEAD", "/big?bytes=100000"), ok("")),
    MUST("9110 §9.3.2", "/status/200", line("HEAD", "/status/200"), ok("")),
    MUST("9110 §9.3.2", "/status/204", line("HEAD", "/status/204"), status(204)),
    MUST("9110 §9.3.2", "/status/304", line("HEAD", "/status/304"), status(304)),
    MUST("9110 §9.3.2", "/status/404", line("HEAD", "/status/404"), status(404)),
    MUST("9110 §9.3.2", "/status/500", line("HEAD", "/status/500"), status(500)),
    MUST("9110 §9.3.2", "nothing there", line("HEAD", "/nope"), status(404)),
    MUST("9110 §9.3.2", "a resource without GET", line("HEAD", "/echo"), notAllowed),
    MUST("9110 §9.3.2", "a wrong value", line("HEAD", "/big?bytes=x"), status(400, 404))
  )

  table("methods that a resource doesn't have")(
    Seq("POST", "PUT", "DELETE", "PATCH").flatMap(method =>
      Seq("/plaintext", "/json", "/big?bytes=1", "/status/200").map(path =>
        SHOULD("9110 §15.5.6", s"$method $path", line(method, path, "Content-Length: 0"), notAllowed)
      )
    ) ++ Seq("GET", "PUT", "DELETE", "PATCH").map(method =>
      SHOULD("9110 §15.5.6", s"$method /echo", line(method, "/echo"), notAllowed)
    ) ++ Seq("PROPFIND", "QUERY", "LINK", "M-SEARCH", "X").map(method =>
      SHOULD("9110 §9.1", s"$method /plaintext", line(method, "/plaintext"), status(405, 501))
    ) ++ Seq("PUT", "DELETE", "BREW").map(method =>
      MUST("9110 §15.5.5", s"$method where nothing is", line(method, "/nope"), status(404, 405, 501))
    ) ++ Seq(
      MUST("9110 §9.3.8", "TRACE", line("TRACE", "/plaintext"), status(200, 405, 501)),
      MUST("9110 §9.3.7", "OPTIONS", line("OPTIONS", "/plaintext"), status(200, 204)),
      MUST("9110 §9.3.7", "OPTIONS with a length of 0", line("OPTIONS", "/plaintext", "Content-Length: 0"), status(200, 204)),
      MUST("9110 §9.3.7", "OPTIONS where nothing is", line("OPTIONS", "/nope"), status(200, 204, 404))
    ): _*
  )

  private def allow(program: Program, method: String, path: String): Set[String] =
    ask(program, line(method, path)).list("Allow").toSet

  each("405 allows what is there (MUST, RFC 9110 §15.5.6)") { program =>
    assert(Set("GET", "HEAD").subsetOf(allow(program, "PUT", "/plaintext")), clue(allow(program, "PUT", "/plaintext")))
    assert(!allow(program, "PUT", "/plaintext").contains("PUT"))
    assert(Set("GET", "HEAD").subsetOf(allow(program, "POST", "/status/200")), clue(allow(program, "POST", "/status/200")))
    assert(allow(program, "GET", "/echo").contains("POST"), clue(allow(program, "GET", "/echo")))
    assert(!allow(program, "GET", "/echo").contains("GET"))
  }

  each("OPTIONS allows what is there (SHOULD, RFC 9110 §9.3.7)") { program =>
    assert(Set("GET", "HEAD").subsetOf(allow(program, "OPTIONS", "/plaintext")), clue(allow(program, "OPTIONS", "/plaintext")))
    assert(allow(program, "OPTIONS", "/echo").contains("POST"), clue(allow(program, "OPTIONS", "/echo")))
  }

  each("OPTIONS says that it has no content (MUST, RFC 9110 §9.3.7)") { program =>
    val got = ask(program, line("OPTIONS", "/plaintext"))
    assert(got.status == 204 || got.framing == Framing.Length(0) || got.body.nonEmpty, got.toString)
  }

  each("HEAD has the fields of GET (SHOULD, RFC 9110 §9.3.2)") { program =>
    Seq("/plaintext", "/json").foreach { path =>
      val get      = ask(program, target(path))
      val headless = ask(program, line("HEAD", path))
      assertEquals(headless.all("Content-Type"), get.all("Content-Type"))
    }
  }

  each("a length in a reply to HEAD is that of GET (MUST, RFC 9110 §8.6)") { program =>
    Seq("/plaintext", "/json", "/big?bytes=12345", "/status/200", "/status/404", "/nope").foreach { path =>
      val length   = ask(program, target(path)).body.length.toString
      val headless = ask(program, line("HEAD", path))
      headless.all("Content-Length").foreach(said => assertEquals(said, length, path))
    }
  }

  each("the types are as said (SHOULD, RFC 9110 §8.3)") { program =>
    def typeOf(request: String) = ask(program, request).all("Content-Type").map(_.takeWhile(_ != ';').trim)
    assertEquals(typeOf(target("/plaintext")), Vector("text/plain"))
    assertEquals(typeOf(target("/json")), Vector("application/json"))
    assertEquals(typeOf(Message.echo("Content-Type: a/b", "Content-Length: 1") + "x"), Vector("a/b"))
  }

  each("a type comes back as it was, whatever its bytes (STATED, RFC 9110 §5.5)") { program =>
    Seq("text/plain; charset=utf-8", "application/x.y+z; a=\"b, c\"", "multipart/form-data; boundary=--x").foreach { value =>
      val got = ask(program, Message.echo(s"Content-Type: $value", "Content-Length: 1") + "x")
      assertEquals((got.text, got.all("Content-Type").toList), ("x", List(value)))
    }
  }

  each("TRACE shows no credentials (MUST NOT, RFC 9110 §9.3.8)") { program =>
    val got = ask(program, line("TRACE", "/plaintext", "Cookie: secret=42", "Authorization: Basic c2VjcmV0"))
    assert(!got.text.contains("secret"), got.toString)
    assert(!got.text.contains("c2VjcmV0"), got.toString)
  }

  each("what a request says comes back in no field (MUST, RFC 9110 §5.5)") { program =>
    val got = ask(program, head("GET /nope%0d%0aX-Split:%201 HTTP/1.1", "Host: a", "X: y"))
    assert(!got.has("X-Split"), got.fields.toString)
  }
}
