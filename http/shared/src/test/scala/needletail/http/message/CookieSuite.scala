package needletail.http.message

import scala.concurrent.duration._

import needletail.http.Response

class CookieSuite extends needletail.testing.Suite {
  test("cookies of a request, what is malformed passed over") {
    List(
      ""                    -> Nil,
      "a=1"                 -> List("a" -> "1"),
      "a=1; b=2"            -> List("a" -> "1", "b" -> "2"),
      "a=1;b=2;"            -> List("a" -> "1", "b" -> "2"),
      " a = 1 ;; b=\"2 3\"" -> List("a" -> "1", "b" -> "2 3"),
      "a=b=c"               -> List("a" -> "b=c"),
      "a; =b; c d=e; f="    -> List("f" -> ""),
      "a=\""                -> List("a" -> "\""),
      "a=1; a=2"            -> List("a" -> "1", "a" -> "2")
    ).foreach { case (text, expected) => assertEquals(Cookie.parse(text), expected, clue(text)) }
  }

  test("Set-Cookie with its attributes") {
    assertEquals(Cookie("a", "1").render, "a=1; HttpOnly; SameSite=Lax")
    assertEquals(
      Cookie(
        "sid",
        "x.y",
        Some("/p"),
        Some("example.com"),
        Some(2.hours),
        secure = true,
        httpOnly = true,
        Some(Cookie.SameSite.Strict)
      ).render,
      "sid=x.y; Path=/p; Domain=example.com; Max-Age=7200; Secure; HttpOnly; SameSite=Strict"
    )
    assertEquals(Cookie.removal("a", Some("/")).render, "a=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax")
    assertEquals(Cookie("a", "1", httpOnly = false, sameSite = None).render, "a=1")
    assertEquals(
      Response.ok.cookie(Cookie("a", "1")).cookie(Cookie("b", "2")).headers.getAll("set-cookie"),
      List("a=1", "b=2").map(_ + "; HttpOnly; SameSite=Lax")
    )
  }

  test("what could not be sent safely is refused") {
    List[() => Cookie](
      () => Cookie("", "1"),
      () => Cookie("a b", "1"),
      () => Cookie("a=", "1"),
      () => Cookie("a", "1;b"),
      () => Cookie("a", "1 2"),
      () => Cookie("a", "1,2"),
      () => Cookie("a", "\"1\""),
      () => Cookie("a", "1\\2"),
      () => Cookie("a", "1\r\n"),
      () => Cookie("a", "\u00e9"),
      () => Cookie("a", "1", path = Some("/;Secure")),
      () => Cookie("a", "1", domain = Some("a\r\n")),
      () => Cookie("a", "1", sameSite = Some(Cookie.SameSite.None))
    ).foreach(make => intercept[IllegalArgumentException](make()))
  }

  test("millions of parts without an equals sign cost no more than their length") {
    assertEquals(Cookie.parse("a;" * 4000000 + "b=c"), List("b" -> "c")) // their square is minutes
  }
}
