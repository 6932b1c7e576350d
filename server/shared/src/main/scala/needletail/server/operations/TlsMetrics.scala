package needletail.server.operations

import needletail.io.TlsIdentity
import needletail.metrics.MetricText

/** Writes the metrics of a server's TLS. */
private[server] object TlsMetrics {
  def write(out: MetricText, identity: TlsIdentity): Unit = {
    val counts = identity.counts
    out.counter("needletail_tls_handshakes_total", "Completed TLS handshakes, by result.")
    out.sample(counts.full.toDouble, "result"    -> "full")
    out.sample(counts.resumed.toDouble, "result" -> "resumed")
    out.sample(counts.failed.toDouble, "result"  -> "failed")
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
        out.sample(c.notAfter / 1000.0, "certificate" -> i.toString, "subject" -> c.subject)
    }
  }
}
