package needletail.io.system.tls

import needletail.io.Tls
import needletail.io.tls.{TlsClientConfig, TlsPair, TlsTrust}

/** How long sessions of a client's are resumed. */
class SessionLimitSuite extends TlsPair {
  for (trust <- Seq("checked", "unchecked"))
    tlsTest(
      s"sessions that follow from one full handshake end together, be they replaced each time, $trust"
    ) {
      val settings = TlsClientConfig(
        if (trust == "checked") TlsTrust.File(authority.file) else TlsTrust.Unchecked
      )
      serving(config) { served =>
        val tls       = new Tls(new OpenSslClient(settings, sessionSeconds = 3))
        def isResumed = hello(served, open(served.loop, served.port, tls)).isResumed
        assert(!isResumed)
        for (_ <- 1 to 2) {
          eventually(isResumed, "no session is resumed")
          eventually(!isResumed, "sessions are resumed for ever")
        }
      }
    }
}
