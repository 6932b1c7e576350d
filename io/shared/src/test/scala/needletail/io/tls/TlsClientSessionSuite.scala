package needletail.io.tls

import java.io.IOException

import needletail.io.Tls

/** When a client's sessions end: the server's certificate is looked at in full handshakes only. */
class TlsClientSessionSuite extends TlsPair {

  /** Connects until a session is resumed, and then until that fails: why it does. */
  private def untilRefused(served: Served, tls: Tls): String = {
    def isResumed = hello(served, open(served.loop, served.port, tls)).isResumed
    assert(!isResumed)
    eventually(isResumed, "no session is resumed")
    var why = ""
    eventually(
      {
        try isResumed
        catch { case e: IOException => why = e.getMessage }
        why.nonEmpty
      },
      "it is accepted still"
    )
    why
  }

  tlsTest("a client resumes no session of a server whose certificate has expired since") {
    val issued = authority.issue("DNS:localhost", until = inSeconds(6))
    serving(TlsServerConfig(Seq(TlsCertificate(issued.chain, issued.key)))) { served =>
      val why = untilRefused(served, Tls.trusting(authority.file))
      assert(why.startsWith("the certificate of localhost expired on ") || why.endsWith(" has expired"), why)
    }
  }

  tlsTest("nor after its list of revoked certificates has expired") {
    authority.expireList(inSeconds(6))
    serving(config) { served =>
      val tls = Tls.client(TlsClientConfig(TlsTrust.File(authority.file), revoked = Some(authority.revoked)))
      val why = untilRefused(served, tls)
      assert(why.endsWith(RevocationLists.expired("CN=Needletail")), why)
    }
  }
}
