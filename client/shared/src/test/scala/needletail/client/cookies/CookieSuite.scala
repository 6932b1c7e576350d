package needletail.client.cookies

import needletail.client.Serving
import needletail.http.{Handler, Response, Status}
import needletail.testing.Suite

/** Calls with a jar of cookies, over sockets. */
class CookieSuite extends Suite with Serving {
  private val handler: Handler = request =>
    request.path match {
      case "/login" =>
        Response(Status.SeeOther).header("Location", "/home").header("Set-Cookie", "id=7; Path=/; HttpOnly")
          .header("Set-Cookie", "theme=dark; Max-Age=100")
      case "/logout" => Response.ok("").header("Set-Cookie", "id=; Path=/; Max-Age=0")
      case _         => Response.ok(request.headers.getAll("cookie").mkString("|"))
    }

  test("cookies of a redirection are sent to where it leads, and by later calls, until they are removed") {
    val jar = new CookieJar
    serving(handler, clientConfig.copy(cookies = Some(jar))) { (server, client) =>
      val service = client.service(server.url)
      assertEquals(service.post("/login").await().text, "id=7; theme=dark")
      assertEquals(service.get("/x").await().text, "id=7; theme=dark")
      assertEquals(
        client.await(service.get("/x").stream.flatMap(_.body.next())).map(new String(_)),
        Some("id=7; theme=dark")
      )
      assertEquals(service.get("/x").header("Cookie", "own=1").await().text, "own=1")
      assertEquals(service.get("/x").noCookies.await().text, "")
      assertEquals(client.get(s"http://localhost:${server.port}/x").await().text, "", "another host")
      service.get("/logout").await()
      assertEquals(service.get("/x").await().text, "theme=dark")
      assertEquals(jar.cookies.map(_.name), Seq("theme"))
    }
  }

  test("jars for calls of several users, and none unless asked for") {
    serving(handler) { (server, client) =>
      val (ann, bob) = (new CookieJar, new CookieJar)
      val service    = client.service(server.url)
      assertEquals(service.get("/login").await().text, "")
      assertEquals(service.get("/login").cookies(ann).await().text, "id=7; theme=dark")
      assertEquals(service.get("/x").cookies(bob).await().text, "")
      assertEquals(service.get("/x").cookies(ann).await().text, "id=7; theme=dark")
      service.get("/login").noRedirects.cookies(bob).await()
      assertEquals(bob.cookies.length, 2)
    }
  }
}
