package needletail.server.operations

import java.io.IOException
import java.nio.file.Files

import needletail.io.{Tls, TlsCertificate, TlsClientAuth, TlsIdentity, TlsServerConfig}
import needletail.metrics.MetricText
import needletail.testing.{Suite, TemporaryDirectories}

/** What the metrics say of a server's certificates. */
class TlsMetricsSuite extends Suite with TemporaryDirectories {
  private def samples(identity: TlsIdentity): Map[String, Double] = {
    val out = new MetricText
    TlsMetrics.write(out, identity)
    out.toString.split('\n').filterNot(_.startsWith("#")).map { line =>
      val space = line.lastIndexOf(' ')
      (line.take(space), line.drop(space + 1).toDouble)
    }.toMap
  }

  private def days(seconds: Double): Long = Math.round((seconds - System.currentTimeMillis / 1000.0) / 86400)

  test("when the certificates and lists of revoked ones expire, and how often they were reloaded") {
    assume(Tls.isKnown, "no TLS")
    val authority = newAuthority()
    val issued    = for ((name, days) <- Seq("shop" -> 9, "blog" -> 3))
      yield authority.issue("DNS:localhost", subject = name, days = days)
    authority.revoke()
    val clients  = TlsClientAuth(authority.file, revoked = Some(authority.revoked))
    val identity = Tls.server(TlsServerConfig(
      issued.map(files => TlsCertificate(files.chain, files.key)),
      clients = Some(clients)
    ))
    val expiry  = "needletail_tls_certificate_expiry_timestamp_seconds"
    val reloads = "needletail_tls_reloads_total"
    val first   = samples(identity)
    assertEquals(days(first(s"""$expiry{certificate="0",subject="CN=shop"}""")), 9L)
    assertEquals(days(first(s"""$expiry{certificate="1",subject="CN=blog"}""")), 3L)
    assertEquals(days(first("needletail_tls_revocation_list_expiry_timestamp_seconds")), 2L)
    def reloaded() =
      (samples(identity)(s"""$reloads{result="done"}"""), samples(identity)(s"""$reloads{result="failed"}"""))
    assertEquals(reloaded(), (0.0, 0.0))

    val renewed = authority.issue("DNS:localhost", subject = "shop", days = 20)
    Files.write(issued.head.chain, Files.readAllBytes(renewed.chain))
    intercept[IOException](identity.reload()) // that key belongs to another certificate
    assertEquals(reloaded(), (0.0, 1.0))
    Files.write(issued.head.key, Files.readAllBytes(renewed.key))
    authority.listForHours(5 * 24)
    identity.reload()
    assertEquals(reloaded(), (1.0, 1.0))
    assertEquals(days(samples(identity)(s"""$expiry{certificate="0",subject="CN=shop"}""")), 20L)
    assertEquals(days(samples(identity)("needletail_tls_revocation_list_expiry_timestamp_seconds")), 5L)
  }

  test("nothing is said of lists where there are none") {
    assume(Tls.isKnown, "no TLS")
    val issued = newAuthority().issue("DNS:localhost")
    assert(!samples(Tls.server(TlsServerConfig(
      issued.chain,
      issued.key
    ))).keys.exists(_.contains("revocation")))
  }
}
