package needletail.io.system.tls

import scala.scalanative.unsafe.*

import needletail.testing.{Suite, TemporaryDirectories}

/** A server's own check of its clients' certificates. */
class ClientCertificateCheckSuite extends Suite with TemporaryDirectories {
  test("a handshake within another's check leaves that other one its check") {
    OpenSsl.load()
    val pem     = PemFile.certificates(newAuthority().issue("DNS:localhost").chain)
    val length  = stackalloc[CInt]()
    val facts   = OpenSslFunctions.certificateFacts(pem.bytes.at(0), pem.bytes.length, length)
    def asked() = ClientCertificateCheck.function(facts, !length)
    try {
      val (outer, inner) = (new ClientCertificateCheck(_ => true), new ClientCertificateCheck(_ => false))
      val results        = Seq.newBuilder[Int]
      outer.during {
        results += inner.during(asked())
        results += asked()
        0
      }
      results += asked()
      assertEquals(results.result(), Seq(0, 1, 0))
    } finally OpenSslFunctions.freeFacts(facts)
  }
}
