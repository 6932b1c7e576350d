package needletail.client.call

import needletail.client._
import needletail.http.{Response, Status}
import needletail.testing.Suite

/** What errors say of the call: the method and the URL, but neither its query nor a password. */
class CallNameSuite extends Suite with Misbehaving {
  private def message(failing: => Any): String = intercept[ClientError](failing).getMessage

  test("an unexpected status, in whatever way it is found") {
    serving(_ => Response(Status.NotFound).text("no such account")) { (server, client) =>
      val expected = s"GET ${server.url}/accounts/7: the response is 404 Not Found"
      val call     = client.get(s"${server.url}/accounts/7?key=secret")
      assertEquals(message(client.await(call.text)), expected)
      assertEquals(message(client.await(call.bytes)), expected)
      assertEquals(
        message(client.await(client.service(server.url).get("/accounts/7?key=secret").expected)),
        expected
      )
      assertEquals(
        message(client.await(client.post(s"${server.url}/a").body("x").text)),
        expected.replace("GET", "POST").replace("accounts/7", "a")
      )
    }
  }

  test("the call that has failed, not the one that was redirected") {
    val server = new Scripted((peer, request) =>
      if (request == 1)
        peer.send(
          "HTTP/1.1 307 Temporary Redirect\r\nLocation: /second?key=secret\r\nContent-Length: 0\r\n\r\n"
        )
      else {
        peer.send("no HTTP\r\n\r\n")
        peer.close()
      }
    )
    try
      calling(strict) { client =>
        val text = message(client.get(s"${server.url}/first?key=secret").await())
        assert(text.startsWith(s"GET ${server.url}/second: "), text)
      }
    finally server.close()
  }

  test("a path of any length is shown up to a bound") {
    serving(_ => Response(Status.NotFound)) { (server, client) =>
      val text = message(client.await(client.get(s"${server.url}/${"a" * 5000}").text))
      assertEquals(text, s"GET ${server.url}/${"a" * 199}…: the response is 404 Not Found")
    }
  }

  test("a password in a URL, where it is not allowed, is not repeated") {
    calling() { client =>
      for (url <- Seq("http://ann:secret@a/x", "http://ann:secret@a", "http://ann:se@cret@a/x?b@c")) {
        val text = intercept[IllegalArgumentException](client.get(url)).getMessage
        assert(
          text.startsWith("a URL must not contain credentials: 'http://…@a") && !text.contains("secret"),
          text
        )
      }
      val text = intercept[IllegalArgumentException](client.get("ftp://a/b@c")).getMessage
      assert(text.endsWith(": 'ftp://a/b@c'"), text)
    }
  }
}
