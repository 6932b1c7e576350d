package needletail.examples

import java.io.IOException

import needletail.http.Response
import needletail.io.Address
import needletail.server.{AdminConfig, CannotListen, Server, ServerConfig}
import needletail.testing.Suite

/** What the options for addresses make of a server's configuration. */
class ListeningSuite extends Suite {
  private def config(
      behind: Boolean = true,
      admin: Boolean = true,
      own: ServerConfig = ServerConfig()
  )(args: String*): ServerConfig = {
    val options           = Options("server", "Serves.")
    val listening         = new Listening(options, behind, admin)
    var got: ServerConfig = null
    options.parse(args) match {
      case Right(values) => listening.run(values, own) { config => got = config }
      case Left(other)   => fail(s"refused: $other")
    }
    got
  }

  private def isUnknown(behind: Boolean, admin: Boolean, option: String): Boolean = {
    val options = Options("server", "Serves.")
    new Listening(options, behind, admin)
    options.parse(Seq(option, "1")).isLeft
  }

  test("a host is a name or an address, and a path is a Unix socket") {
    assertEquals(config()().address, Address.Tcp("127.0.0.1", 8080): Address)
    assertEquals(config()("--host", "*", "--port", "0").address, Address.Tcp("*", 0): Address)
    assertEquals(config()("--host", "/run/store.sock").address, Address.Unix("/run/store.sock"): Address)
    assertEquals(config()("--host", "./store.sock").address, Address.Unix("./store.sock"): Address)
    assertEquals(
      Listening.forCurl(Address.Unix("/run/a.sock"), "unix:/run/a.sock"),
      "--unix-socket /run/a.sock http://localhost"
    )
    assertEquals(Listening.forCurl(Address.Tcp("::1", 80), "http://[::1]:80"), "http://[::1]:80")
    assertEquals(config()("--host", "unix:store.sock").address, Address.Unix("store.sock"): Address)
  }

  test("what is refused names the program") {
    val said = Options("server", "Serves.").refusal("--port cannot be used with the path of a Unix socket")
    assertEquals(
      said,
      "server: --port cannot be used with the path of a Unix socket\nTry 'server --help'."
    )
  }

  test("administration listens only if a port is given, with the settings of the program") {
    val own = ServerConfig(admin = Some(AdminConfig(0, names = Set("store.internal"))))
    assertEquals(config(own = own)().admin, None)
    assertEquals(
      config(own = own)("--admin", "9090", "--admin-host", "::1").admin,
      Some(AdminConfig(9090, "::1", names = Set("store.internal")))
    )
    assertEquals(config()("--admin", "9090").admin, Some(AdminConfig(9090)))
  }

  test("the next port is for a port in use, not for a host that is unknown") {
    def at(host: String, port: Int) =
      Server(_ => Response.ok, ServerConfig(address = Address.Tcp(host, port), loops = 1)).start()
    val server = at("127.0.0.1", 0)
    try assert(Listening.isInUse(intercept[IOException](at("127.0.0.1", server.port))))
    finally { server.close(); () }
    assert(!Listening.isInUse(intercept[IOException](at("no-such-host.invalid", 0))))
    assert(!Listening.isInUse(intercept[IOException](at("192.0.2.1", 8080)))) // nobody's
    // in the system's language
    assert(Listening.isInUse(new CannotListen("Die Adresse wird bereits verwendet", isInUse = true)))
  }

  test("a program has no option that does nothing") {
    for (option <- List("--fastcgi", "--scgi", "--mount")) {
      assert(isUnknown(behind = false, admin = true, option), option)
      assert(!isUnknown(behind = true, admin = false, option), option)
    }
    for (option <- List("--admin", "--admin-host")) {
      assert(isUnknown(behind = true, admin = false, option), option)
      assert(!isUnknown(behind = false, admin = true, option), option)
    }
  }
}
