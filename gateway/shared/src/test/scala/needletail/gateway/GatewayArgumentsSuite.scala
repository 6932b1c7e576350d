package needletail.gateway

import needletail.gateway.serve.GatewayConfig
import needletail.io.Address
import needletail.testing.Suite

class GatewayArgumentsSuite extends Suite {
  private def front(args: String*): Either[String, Option[FrontProtocol]] =
    GatewayArguments.parse(args.toList, GatewayConfig()).map(_.front)

  test("nothing leaves the choice to who has started the program") {
    assertEquals(front(), Right(None))
  }

  test("HTTP on a port, FastCGI and SCGI at an address") {
    assertEquals(front("--port", "0"), Right(Some(FrontProtocol.Http(Address.Tcp("127.0.0.1", 0)))))
    assertEquals(front("--host=::", "--port=80"), Right(Some(FrontProtocol.Http(Address.Tcp("::", 80)))))
    assertEquals(
      front("--fastcgi", "127.0.0.1:9000"),
      Right(Some(FrontProtocol.FastCgi(Address.Tcp("127.0.0.1", 9000))))
    )
    assertEquals(
      front("--scgi=/run/app.sock"),
      Right(Some(FrontProtocol.Scgi(Address.Unix("/run/app.sock"))))
    )
  }

  test("addresses") {
    val read = List(
      ":9000"      -> Address.Tcp("", 9000),
      "*:9000"     -> Address.Tcp("*", 9000),
      "[::1]:9000" -> Address.Tcp("::1", 9000),
      "unix:a"     -> Address.Unix("a"),
      "./a:1"      -> Address.Unix("./a:1"),
      "fd:3"       -> Address.Inherited(3)
    )
    for ((text, address) <- read) assertEquals(GatewayArguments.address(text), Right(address), text)
    for (text <- List("", "9000", "a", "a:", "a:b", "a:70000", "a:-1", "unix:", "fd:"))
      assertEquals(
        GatewayArguments.address(text),
        Left(s"expected HOST:PORT, the path of a socket, or fd:N, got '$text'")
      )
  }

  test("a mount is a path") {
    assertEquals(
      GatewayArguments.parse(List("--mount", "/app"), GatewayConfig()).map(_.mount),
      Right(Some("/app"))
    )
    assertEquals(
      front("--mount", "app"),
      Left("option '--mount': expected a path that begins with a slash, got 'app'")
    )
  }

  test("what is unknown or incomplete is named") {
    for (args <- List(List("--prot", "1"), List("--port"), List("x"), List("--prot=1")))
      assert(front(args: _*).left.exists(_.startsWith("unknown option '")), args)
    assertEquals(
      front("--port", "x"),
      Left("option '--port': expected a whole number from 0 to 65535, got 'x'")
    )
  }
}
