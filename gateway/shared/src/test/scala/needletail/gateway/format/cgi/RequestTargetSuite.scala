package needletail.gateway.format.cgi

import needletail.gateway.Records
import needletail.gateway.serve.GatewayConfig
import needletail.http.text.ByteWriter
import needletail.testing.Suite

/** Which target routes see, by what the servers in use say; and how it is told from where the program was put. */
class RequestTargetSuite extends Suite {

  private def target(
      mount: Option[String] = None,
      isScript: Boolean = false
  )(pairs: (String, String)*): (String, String) = {
    val w      = new ByteWriter(64)
    val config = GatewayConfig(mount = mount)
    val target = new RequestTarget(Variables.of(pairs), config.mountOrNull, isScript)
    target.write(w)
    (Records.text(w), target.scriptName)
  }

  test("nginx: the whole path is SCRIPT_NAME, and REQUEST_URI has it as it came") {
    assertEquals(
      target()("SCRIPT_NAME" -> "/a b", "REQUEST_URI" -> "/a%20b?x=%2F", "QUERY_STRING" -> "x=%2F"),
      ("/a%20b?x=%2F", "")
    )
  }

  test("PATH_INFO says that SCRIPT_NAME is where the program was put; escapes are kept") {
    assertEquals(
      target()(
        "SCRIPT_NAME"  -> "/my app",
        "PATH_INFO"    -> "/a/b c",
        "REQUEST_URI"  -> "/my%20app/a%2fb%20c?q",
        "QUERY_STRING" -> "q"
      ),
      ("/a%2fb%20c?q", "/my app")
    )
    assertEquals(target()("SCRIPT_NAME" -> "", "PATH_INFO" -> "/a", "REQUEST_URI" -> "/a"), ("/a", ""))
    // Apache with AllowEncodedSlashes NoDecode
    assertEquals(
      target()("SCRIPT_NAME" -> "/app", "PATH_INFO" -> "/a%2Fb c%2fd", "REQUEST_URI" -> "/app/a%2Fb%20c%2fd"),
      ("/a%2Fb%20c%2fd", "/app")
    )
    assertEquals(
      target()("SCRIPT_NAME" -> "/app", "PATH_INFO" -> "/a%2Fb", "REQUEST_URI" -> "/app/a%252Fb"),
      ("/a%252Fb", "/app")
    )
  }

  test("where the server has rewritten the path, PATH_INFO is it, escaped again") {
    assertEquals(
      target()("SCRIPT_NAME" -> "/app.fcgi", "PATH_INFO" -> "/ä b%?", "REQUEST_URI" -> "/pretty"),
      ("/%C3%A4%20b%25%3F", "/app.fcgi")
    )
  }

  test("without PATH_INFO a path that was rewritten is the original one, unless REQUEST_URI is empty") {
    // nginx's try_files, which leads all paths to one file, and its rewrite
    assertEquals(target()("SCRIPT_NAME" -> "/app.fcgi", "REQUEST_URI" -> "/a%2Fb"), ("/a%2Fb", ""))
    assertEquals(target()("SCRIPT_NAME" -> "/new/ä", "REQUEST_URI" -> ""), ("/new/%C3%A4", ""))
  }

  test("a script without PATH_INFO was asked for its root") {
    val asked =
      Seq("SCRIPT_NAME" -> "/cgi-bin/app", "REQUEST_URI" -> "/cgi-bin/app?a=b", "QUERY_STRING" -> "a=b")
    assertEquals(target(isScript = true)(asked: _*), ("/?a=b", "/cgi-bin/app"))
    assertEquals(target()(asked: _*), ("/cgi-bin/app?a=b", ""))
  }

  test("a mount goes before what the variables say, and is a number of whole segments") {
    def at(mount: String, path: String, more: (String, String)*) =
      target(Some(mount))((Seq("REQUEST_URI" -> path) ++ more): _*)
    assertEquals(at("/app", "/app/x"), ("/x", "/app"))
    assertEquals(at("/app/", "/app/x"), ("/x", "/app"))
    assertEquals(at("/app", "/app"), ("/", "/app"))
    assertEquals(at("/app", "/application"), ("/application", ""))
    assertEquals(at("/app", "/other"), ("/other", ""))
    assertEquals(at("/", "/hello/Ann", "SCRIPT_NAME" -> "/hello", "PATH_INFO" -> "/Ann"), ("/hello/Ann", ""))
    assertEquals(target(Some("/app"))("SCRIPT_NAME" -> "/app", "PATH_INFO" -> "/x"), ("/x", "/app"))
  }

  test("without REQUEST_URI the path is put together from the others") {
    assertEquals(target()("SCRIPT_NAME" -> "/a", "QUERY_STRING" -> "q"), ("/a?q", ""))
    assertEquals(target()("SCRIPT_NAME" -> "/a", "PATH_INFO" -> "/b"), ("/b", "/a"))
    assertEquals(target()(), ("/", ""))
  }

  test("the query is QUERY_STRING's, which rewriting changes, else REQUEST_URI's") {
    assertEquals(target()("REQUEST_URI" -> "/a?x=1", "QUERY_STRING" -> "x=1&y=2"), ("/a?x=1&y=2", ""))
    assertEquals(target()("REQUEST_URI" -> "/a?x=1"), ("/a?x=1", ""))
    assertEquals(target()("REQUEST_URI" -> "/a?x=1", "QUERY_STRING" -> ""), ("/a", ""))
  }

  test("absolute targets, and OPTIONS *") {
    assertEquals(target()("REQUEST_URI" -> "http://a.test/b?c", "QUERY_STRING" -> "c"), ("/b?c", ""))
    assertEquals(target()("REQUEST_URI" -> "*"), ("*", ""))
    assertEquals(target()("REQUEST_URI" -> "/a://b"), ("/a://b", ""))
  }

  test("the path of an absolute target is never taken from its query") {
    // of GET http://a.test?u=http://x/b, as nginx and Apache pass it on
    for (
      uri <- Seq("?u=http://x/b", "http://a.test?u=http://x/b", "http://a.test?u=/b", "HTTPS://a.test?/b")
    ) {
      val query   = uri.substring(uri.indexOf('?') + 1)
      val asked   = Seq("REQUEST_URI" -> uri, "QUERY_STRING" -> query, "SCRIPT_NAME" -> "/")
      val without = Seq("REQUEST_URI" -> uri)
      for (variables <- Seq(asked, without); mount <- Seq(None, Some("/"), Some("/b"), Some("/app")))
        assertEquals(target(mount)(variables: _*), (s"/?$query", ""), s"$uri $mount")
    }
    assertEquals(target()("REQUEST_URI" -> "http://a.test"), ("/", ""))
    assertEquals(target()("REQUEST_URI" -> "http://a.test#/b"), ("/", ""))
    assertEquals(target()("REQUEST_URI" -> "http://a.test/b?u=http://x/c"), ("/b?u=http://x/c", ""))
    assertEquals(target(Some("/app"))("REQUEST_URI" -> "http://a.test/app/b?/c"), ("/b?/c", "/app"))
    for (none <- Seq("u?http://x/b", "://x/b", "u/http://x/b", "http:/x/b"))
      assertEquals(
        target()("REQUEST_URI" -> none, "SCRIPT_NAME" -> "/s", "QUERY_STRING" -> ""),
        ("/s", ""),
        none
      )
  }
}
