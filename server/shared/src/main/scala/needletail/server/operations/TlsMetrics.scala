package needletail.server.operations

import needletail.io.TlsIdentity
import needletail.io.tls.{CertificateText, HandshakeFailure, TlsCounts}
import needletail.metrics.MetricText

/** Writes the metrics of a server's TLS. */
private[server] object TlsMetrics {
  private val Results = Seq("full" -> false, "resumed" -> true)

  def write(out: MetricText, identity: TlsIdentity): Unit = {
    val counts = identity.counts
    out.counter("needletail_tls_handshakes_total", "Completed TLS handshakes, by version and result.")
    for (version <- TlsCounts.versions; (result, isResumed) <- Results)
      out.sample(
        counts.completed(version, isResumed).toDouble,
        "version" -> version,
        "result"  -> result
      )
    out.counter(
      "needletail_tls_handshakes_failed_total",
      "TLS handshakes that were not completed, by reason."
    )
    for (why <- HandshakeFailure.all) out.sample(counts.failed(why).toDouble, "reason" -> why.name)
    out.gauge("needletail_tls_handshakes_in_progress", "Connections with a TLS handshake in progress.")
    out.sample(counts.present.toDouble)
    out.gauge(
      "needletail_tls_handshakes_in_progress_max",
      "Maximum number of TLS handshakes in progress, beyond which new connections wait in the backlog."
    )
    out.sample(identity.limits.handshakes.toDouble)
    out.counter("needletail_tls_reloads_total", "Certificate reloads, by result.")
    out.sample(counts.reloads.toDouble, "result"       -> "done")
    out.sample(counts.failedReloads.toDouble, "result" -> "failed")
    if (identity.certificates.nonEmpty) {
      out.gauge(
        "needletail_tls_certificate_expiry_timestamp_seconds",
        "Expiry time of a certificate, in seconds since 1970."
      )
      for ((c, i) <- identity.certificates.zipWithIndex)
        out.sample(
          c.notAfter / 1000.0,
          "certificate" -> i.toString,
          "subject"     -> CertificateText.subjectOf(c)
        )
    }
    for (end <- identity.revocationExpiry) {
      out.gauge(
        "needletail_tls_revocation_list_expiry_timestamp_seconds",
        "Expiry time of the list of revoked certificates that expires first, in seconds since 1970."
      )
      out.sample(end / 1000.0)
    }
  }
}
