package needletail.io.tls

import needletail.io.system.tls.TlsLibrary
import needletail.io.system.tls.TlsLibrary.{AwsLc, BoringSsl}

/** Clients that ask for another name when they repeat their ClientHello. */
class RepeatedNameSuite extends RepeatedName {
  tlsTest("a repeated ClientHello cannot ask for another name") {
    assume(!TlsLibrary.isOneOf(BoringSsl, AwsLc), s"with ${TlsLibrary.name} the first name counts")
    serving(both) { served =>
      for (name <- Seq("here.test", "shop.example", "unknown.example"))
        assertEquals(answer(served.port, name, name), "message 2")
      assertEquals(answer(served.port, "shop.example", "SHOP.Example"), "message 2")
      for (
        (first, second) <- Seq(
          "here.test"       -> "shop.example",
          "shop.example"    -> "here.test",
          "shop.example"    -> "shop.example.org",
          "unknown.example" -> "shop.example"
        )
      )
        assertEquals(answer(served.port, first, second), "alert 47", s"$first, then $second")
    }
  }
}
