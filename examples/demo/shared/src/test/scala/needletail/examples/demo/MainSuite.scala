package needletail.examples.demo

import needletail.io.Address
import needletail.testing.Suite

class MainSuite extends Suite {
  private val control = "http://127.0.0.1:8083"

  test("on a port: the address of the page, and commands to try") {
    val said = Main.greeting(Address.Tcp("127.0.0.1", 8080), "http://127.0.0.1:8080", control)
    assert(said.contains("\n  http://127.0.0.1:8080/live\n"), said)
    assert(said.contains("\n  curl http://127.0.0.1:8080/search -G -d query=shoes\n"), said)
  }

  test("on a Unix socket: no address that a browser cannot open") {
    val said = Main.greeting(Address.Unix("/run/store.sock"), "unix:/run/store.sock", control)
    assert(!said.contains("unix:") && !said.contains("/live"), said)
    assert(said.contains("for the page, start the demo without --host"), said)
    assert(
      said.contains("\n  curl --unix-socket /run/store.sock http://localhost/payments -d amount=20\n"),
      said
    )
    assert(said.contains(s"\n  curl $control/metrics\n"), said)
  }
}
