package needletail.routing

import java.util.UUID

import needletail.testkit._

class PathSuite extends needletail.testing.Suite {

  private def text(routes: Routes, target: String): String = {
    val reply = routes.test(Request.get(target))
    if (reply.status == Status.Ok) reply.text else s"${reply.status.code} ${reply.text}"
  }
  private val none = "404 not found"

  test("literals match whole segments and the whole path") {
    val routes = Routes(GET / "foo" / "bar" to "it".ok)
    assertEquals(text(routes, "/foo/bar"), "it")
    Seq(
      "/",
      "/foo",
      "/foo/",
      "/foo/ba",
      "/foo/barr",
      "/foo/bar/",
      "/foo/bar/x",
      "/foobar",
      "/Foo/bar",
      "//foo/bar",
      "/foo//bar"
    )
      .foreach(target => assertEquals(text(routes, target), none, target))
  }

  test("a literal may contain slashes: it is several segments") {
    val routes = Routes(GET / "api/v1" / "users" to "it".ok, "/api/v2" / GET / "users" to "slash in front".ok)
    assertEquals(text(routes, "/api/v1/users"), "it")
    assertEquals(text(routes, "/api/v2/users"), "slash in front")
    assertEquals(text(routes, "/api%2Fv1/users"), none)
  }

  test("two literals are the same path with a method before them and without") {
    for (
      (own, after, target) <- Seq(
        ("users" / "/list", GET / "users" / "/list", "/users/list"),
        (segment("") / "x", GET / segment("") / "x", "//x"),
        ("a" / "b/c", GET / "a" / "b/c", "/a/b/c")
      )
    ) {
      assertEquals(text(Routes(own + GET to "it".ok), target), "it", target)
      assertEquals(text(Routes(after to "it".ok), target), "it", target)
    }
  }

  test("a path of no segments is the root") {
    val routes = Routes(GET to "root".ok)
    assertEquals(text(routes, "/"), "root")
    assertEquals(text(routes, "/?a=b"), "root")
    assertEquals(text(routes, "//"), none)
    assertEquals(text(Routes(GET / "" to "root".ok), "/"), "root")
  }

  test("a trailing slash is an empty last segment, and another path") {
    val routes = Routes(GET / "foo" to "without".ok, GET / "foo" / "" to "with".ok)
    assertEquals(text(routes, "/foo"), "without")
    assertEquals(text(routes, "/foo/"), "with")
  }

  test("typed segments") {
    val id     = UUID.fromString("123e4567-e89b-12d3-a456-426614174000")
    val routes = Routes(
      GET / "string" / arg[String] to (s => s.ok),
      GET / "int" / arg[Int] to (i => (i + 1).toString.ok),
      GET / "long" / arg[Long] to (l => (l + 1).toString.ok),
      GET / "double" / arg[Double] to (d => (d * 2).toString.ok),
      GET / "boolean" / arg[Boolean] to (b => (!b).toString.ok),
      GET / "uuid" / arg[UUID] to (u => (u == id).toString.ok)
    )
    assertEquals(text(routes, "/string/x"), "x")
    assertEquals(text(routes, "/int/-3"), "-2")
    assertEquals(text(routes, "/int/+3"), "4")
    assertEquals(text(routes, "/int/%D9%A3"), "400 expected Integer in path segment, got '٣'")
    assertEquals(text(routes, "/int/-"), "400 expected Integer in path segment, got '-'")
    assertEquals(text(routes, "/int/2147483648"), "400 expected Integer in path segment, got '2147483648'")
    assertEquals(text(routes, "/long/2147483648"), "2147483649")
    assertEquals(text(routes, "/long/1.5"), "400 expected Long in path segment, got '1.5'")
    assertEquals(text(routes, "/double/-1.5e1"), "-30.0")
    Seq("NaN", "Infinity", "1e999", "0x1p3", "1d", "").foreach { bad =>
      assert(text(routes, s"/double/$bad").startsWith("4"), bad)
    }
    assertEquals(text(routes, "/boolean/true"), "false")
    assertEquals(text(routes, "/boolean/TRUE"), "400 expected Boolean in path segment, got 'TRUE'")
    assertEquals(text(routes, "/uuid/123E4567-e89b-12d3-a456-426614174000"), "true")
    assertEquals(text(routes, "/uuid/1-1-1-1-1"), "400 expected UUID in path segment, got '1-1-1-1-1'")
  }

  test("custom types take one line") {
    val routes = Routes(
      GET / "users" / arg[UserId] to (user => s"user ${user.id}".ok),
      GET / "paint" / arg[Colour] to (colour => colour.name.ok)
    )
    assertEquals(text(routes, "/users/7"), "user 7")
    assertEquals(text(routes, "/users/x"), "400 expected Long in path segment, got 'x'")
    assertEquals(text(routes, "/paint/red"), "red")
    assertEquals(text(routes, "/paint/mauve"), "400 expected Colour in path segment, got 'mauve'")
  }

  test("a captured segment is never empty") {
    val routes = Routes(GET / "users" / arg[String] to (s => s.ok), GET / arg[String] to (s => s.ok))
    assertEquals(text(routes, "/users/"), none)
    assertEquals(text(routes, "/"), none)
  }

  test("segments are decoded after the path was split: an encoded slash does not split") {
    val routes = Routes(
      GET / "a" / arg[String] to (s => s"one: $s".ok),
      GET / "a" / arg[String] / arg[String] to { case (s, t) => s"two: $s, $t".ok }
    )
    assertEquals(text(routes, "/a/x%2Fy"), "one: x/y")
    assertEquals(text(routes, "/a/x/y"), "two: x, y")
    assertEquals(text(routes, "/a/100%25"), "one: 100%")
    assertEquals(text(routes, "/a/a+b"), "one: a+b")
    assertEquals(text(routes, "/a/gr%C3%BC%C3%9Fe"), "one: grüße")
    assertEquals(text(routes, "/a/%252F"), "one: %2F")
  }

  test("literals match however they are encoded") {
    val routes = Routes(GET / "grüße & mehr" / arg[String] to (s => s.ok), GET / "a:b" to "colon".ok)
    assertEquals(text(routes, "/gr%C3%BC%C3%9Fe%20&%20mehr/x"), "x")
    assertEquals(text(routes, "/gr%c3%bc%c3%9fe%20%26%20mehr/%78"), "x")
    assertEquals(text(routes, "/a:b"), "colon")
    assertEquals(text(routes, "/a%3ab"), "colon")
    assertEquals(text(routes, "/a%3Ab%20"), none)
  }

  test("a captured segment must be UTF-8") {
    val routes = Routes(GET / "a" / arg[String] to (s => s.ok), GET / "rest" / !* to (l => l.mkString.ok))
    Seq("%FF", "%C3", "%C3%28", "%ED%A0%80", "%C0%AF", "x%F4%90%80%80").foreach { bad =>
      assertEquals(text(routes, s"/a/$bad"), "400 path segment is not valid percent-encoded UTF-8", bad)
      assertEquals(text(routes, s"/rest/x/$bad"), "400 path is not valid percent-encoded UTF-8", bad)
    }
  }

  test("* accepts the rest, whatever it is") {
    val routes = Routes(GET / "static" / * to "it".ok)
    assertEquals(text(routes, "/static/"), "it")
    assertEquals(text(routes, "/static/a/b/c"), "it")
    assertEquals(text(routes, "/static/%FF"), "it")
    assertEquals(text(routes, "/static"), none)
    assertEquals(text(Routes(GET / * to "all".ok), "/"), "all")
  }

  test("!* captures the rest, segment by segment") {
    val routes = Routes(GET / "files" / arg[Int] / !* to { case (n, rest) =>
      s"$n: ${rest.map(s => s"<$s>").mkString}".ok
    })
    assertEquals(text(routes, "/files/1/"), "1: ")
    assertEquals(text(routes, "/files/1/a"), "1: <a>")
    assertEquals(text(routes, "/files/1/a/b%2Fc/"), "1: <a><b/c><>")
    assertEquals(text(routes, "/files/1//a"), "1: <><a>")
  }

  test("nothing can follow the rest of a path") {
    intercept[IllegalArgumentException](Routes(GET / "a" / * / "b" to "it".ok).test(Request.get("/")).text)
  }

  test("a literal goes before a captured segment and that before the rest, at the leftmost difference") {
    val routes = Routes(
      GET / * to "rest".ok,
      GET / arg[String] / "list" to (s => s"$s list".ok),
      GET / "users" / arg[String] to (s => s"user $s".ok),
      GET / "users" / "me" to "me".ok
    )
    assertEquals(text(routes, "/users/me"), "me")
    assertEquals(text(routes, "/users/you"), "user you")
    assertEquals(text(routes, "/users/list"), "user list")
    assertEquals(text(routes, "/groups/list"), "groups list")
    assertEquals(text(routes, "/groups/other"), "rest")
    assertEquals(text(routes, "/users/me/and/more"), "rest")
  }

  test("routes of one shape are tried in order of declaration") {
    val numberFirst =
      Routes(GET / "a" / arg[Int] to (i => s"int $i".ok), GET / "a" / arg[String] to (s => s"string $s".ok))
    assertEquals(text(numberFirst, "/a/3"), "int 3")
    assertEquals(text(numberFirst, "/a/x"), "string x")
    val longFirst =
      Routes(GET / "a" / arg[Long] to (l => s"long $l".ok), GET / "a" / arg[Int] to (i => s"int $i".ok))
    assertEquals(text(longFirst, "/a/3"), "long 3")
  }

  test("values flatten into one tuple, in order, however the parts are put together") {
    val ab                                        = arg[Int] / arg[String]
    val cd                                        = arg[Boolean] / arg[Long]
    val flat                                      = GET / "x" / ab / "y" / cd
    val check: Part[(Int, String, Boolean, Long)] = flat
    val routes = Routes(check to { case (a, b, c, d) => s"$a $b $c $d".ok })
    assertEquals(text(routes, "/x/1/b/y/true/4"), "1 b true 4")
    val twelve = ab / cd / ab / cd / ab / cd
    val count  = Routes(GET / twelve to { case (a, _, _, _, _, _, _, _, _, _, _, l) => s"$a $l".ok })
    assertEquals(text(count, "/1/b/true/4/1/b/true/4/1/b/true/4"), "1 4")
  }

  test("a reusable value reads each of its places") {
    val id     = arg[Long]("id").filter(_ > 0, "{NAME} must be positive")
    val routes = Routes(GET / "users" / id / "friends" / id to { case (user, friend) =>
      s"$user and $friend".ok
    })
    assertEquals(text(routes, "/users/1/friends/2"), "1 and 2")
    assertEquals(text(routes, "/users/1/friends/0"), "400 id must be positive")
    assertEquals(text(routes, "/users/x/friends/2"), "400 expected Long in path segment 'id', got 'x'")
  }

  test("values become a case class; the path goes on behind it") {
    val point  = arg[Int]("x") / arg[Int]("y") >> Point.apply
    val routes = Routes(
      GET / "from" / point / "to" / point to { case (from, to) => s"$from to $to".ok },
      GET / "user" / (arg[Long] >> UserId.apply) to (user => user.toString.ok)
    )
    assertEquals(text(routes, "/from/1/2/to/3/4"), "Point(1,2) to Point(3,4)")
    assertEquals(text(routes, "/from/1/2/to/3/z"), "400 expected Integer in path segment 'y', got 'z'")
    assertEquals(text(routes, "/user/9"), "UserId(9)")
  }

  test("other methods, and all of them") {
    val routes = Routes(
      ANY / "any" / arg[Int] to (i => s"any $i".ok),
      method("PROPFIND") / "files" to "found".ok
    )
    assertEquals(routes.test(Request(Method("BREW"), "/any/1")).text, "any 1")
    assertEquals(routes.test(Request.delete("/any/1")).text, "any 1")
    assertEquals(routes.test(Request(Method("PROPFIND"), "/files")).text, "found")
    assertEquals(routes.test(Request.get("/files")).header("Allow"), Some("OPTIONS, PROPFIND"))
  }

  test("a route with two methods is refused when it is made") {
    val error = intercept[IllegalArgumentException](GET / "a" + POST to "it".ok)
    assert(error.getMessage.contains("GET and POST"), error.getMessage)
  }

  test("no map or filter is lost, and what they throw is not caught") {
    val routes = Routes(
      GET / "twice" / arg[Int].map(_ * 2).filter(_ < 10) to (i => i.toString.ok),
      GET / "sum" / (arg[Int] / arg[Int]).filter(
        { case (a, b) => a < b },
        "{NAME} must rise, not {VALUE}"
      ) to { case (a, b) =>
        (a + b).toString.ok
      },
      GET / "throws" / arg[Int].map(i => 10 / i) to (i => i.toString.ok)
    )
    assertEquals(text(routes, "/twice/4"), "8")
    assertEquals(text(routes, "/twice/5"), "400 path segment must not be '5'")
    assertEquals(text(routes, "/sum/1/2"), "3")
    assertEquals(text(routes, "/sum/2/1"), "400 path segment must rise, not 2, 1")
    assertEquals(text(routes, "/throws/5"), "2")
    intercept[ArithmeticException](routes(Request.get("/throws/0")))
  }

  test("recover takes the place of a text that cannot be read") {
    val routes = Routes(GET / arg[Int].recover(message => message.length) to (i => i.toString.ok))
    assertEquals(text(routes, "/7"), "7")
    assertEquals(text(routes, "/x"), "expected Integer in path segment, got 'x'".length.toString)
  }
}

case class Point(x: Int, y: Int)

case class UserId(id: Long)
object UserId {
  implicit val read: Read[UserId] = Read[Long].map(UserId(_))
}

sealed abstract class Colour(val name: String)
object Colour {
  case object Red  extends Colour("red")
  case object Blue extends Colour("blue")
  implicit val read: Read[Colour] = Read.of("Colour")(text => List(Red, Blue).find(_.name == text))
}
