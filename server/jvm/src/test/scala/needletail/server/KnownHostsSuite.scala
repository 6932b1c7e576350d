package needletail.server

import needletail.http.{Headers, Method, Request, Response}
import needletail.testing.{Language, Suite}

class KnownHostsSuite extends Suite {
  test("names are known in upper and lower case, whatever the machine's language is") {
    for (language <- Seq("en-US", "tr-TR"))
      Language.of(language) {
        val hosts                = new KnownHosts("10.0.0.1", Set("Mine.example"), _ => Response.ok(""))
        def status(host: String) = hosts(Request(Method.GET, "/", Headers("Host" -> host))) match {
          case response: Response => response.status.code
          case other              => fail(s"$other")
        }
        for (host <- Seq("mine.example", "MINE.EXAMPLE:81", "localhost", "LOCALHOST"))
          assertEquals(status(host), 200, host)
        assertEquals(status("other.example"), 421)
      }
  }
}
