package needletail.client.policy

import needletail.client.url.Url
import needletail.http.{Headers, Method}
import needletail.testing.Suite

/** Which redirections are followed, and what is sent then. */
class RedirectPolicySuite extends Suite {
  private val from = Url.parse("http://a:8080/x/y?q=1").fold(why => fail(why), identity)

  private val headers = Headers(
    "Content-Type"  -> "text/plain",
    "Authorization" -> "Bearer secret",
    "Cookie"        -> "a=b",
    "Host"          -> "shop",
    "X-Trace"       -> "7"
  )

  private def next(location: String, method: Method = Method.GET, count: Int = 1) =
    RedirectPolicy.next(from, location, method, headers, count, max = 5)

  private def followed(location: String, method: Method = Method.GET): Redirect =
    next(location, method).fold(why => fail(why), identity)

  private def names(r: Redirect): List[String] = r.headers.toList.map(_._1)

  test("five statuses are redirections") {
    assertEquals((100 to 599).filter(RedirectPolicy.isRedirect(_)).toList, List(301, 302, 303, 307, 308))
  }

  test("safe methods follow all of them, others where they become GET") {
    val codes               = List(301, 302, 303, 307, 308)
    def followed(m: Method) = codes.filter(RedirectPolicy.follows(_, m))
    for (method <- List(Method.GET, Method.HEAD, Method.OPTIONS)) assertEquals(followed(method), codes)
    assertEquals(followed(Method.POST), List(301, 302, 303))
    for (method <- List(Method.PUT, Method.DELETE, Method.PATCH)) assertEquals(followed(method), List(303))
  }

  test("a safe request goes on as it is; to its own origin with all fields") {
    for (method <- List(Method.GET, Method.HEAD)) {
      val r = followed("/z", method)
      assertEquals(r.url.toString, "http://a:8080/z")
      assertEquals(r.method, method)
      assertEquals(r.headers, headers)
      assert(!r.dropsContent)
    }
    assertEquals(followed("z").url.toString, "http://a:8080/x/z")
    assertEquals(followed("http://a:8080/z").headers, headers)
  }

  test("any other becomes GET without content, and without the fields that describe it") {
    for (method <- List(Method.POST, Method.PUT)) {
      val r = followed("/z", method)
      assertEquals(r.method, Method.GET)
      assert(r.dropsContent)
      assertEquals(names(r), List("Authorization", "Cookie", "Host", "X-Trace"))
    }
  }

  test("credentials do not go to another origin: another scheme, host or port") {
    for (location <- List("http://b:8080/z", "http://a/z", "//b/z"))
      assertEquals(names(followed(location)), List("Content-Type", "X-Trace"), location)
    assertEquals(names(followed("http://b/z", Method.POST)), List("X-Trace"))
  }

  test("what cannot be followed says why") {
    assertEquals(next("/z", count = 5).isRight, true)
    assertEquals(next("/z", count = 6), Left("more than 5 redirects"))
    assertEquals(next("http+unix://%2Frun%2Fdocker.sock/"), Left("redirected to a Unix socket"))
    val elsewhere = next("ftp://a/").left.toOption.getOrElse("")
    assert(elsewhere.startsWith("cannot be redirected to 'ftp://a/': "), elsewhere)
  }

  test("a message shows no password, query or fragment, and not all of a long Location") {
    for (
      location <-
        List("app://callback?code=secret", "https://user:secret@b/?c=secret", "app://c#token=secret")
    ) {
      val why = next(location).left.toOption.getOrElse("")
      assert(why.startsWith("cannot be redirected to '") && !why.contains("secret"), why)
    }
    val long = next("ftp://" + "x" * 10000).left.toOption.getOrElse("")
    assert(long.startsWith("cannot be redirected to 'ftp://xxx") && long.length < 400, long.length)
  }
}
