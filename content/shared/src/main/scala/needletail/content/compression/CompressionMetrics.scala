package needletail.content.compression

import needletail.metrics.{MetricSource, MetricText}

/**
 * How much the program compresses, for a server's `/metrics`: `ServerConfig(metrics = Seq(CompressionMetrics))`.
 *
 * {{{
 *   needletail_compressed_streams       streams and long contents that are being compressed
 *   needletail_uncompressed_total       those that were not, as `CompressionConfig.maxStreams` others were being compressed
 * }}}
 */
object CompressionMetrics extends MetricSource {
  def write(out: MetricText): Unit = {
    out.gauge("needletail_compressed_streams", "Streams and long contents that are being compressed.")
    out.sample(Encoders.inStreams.toDouble)
    out.counter(
      "needletail_uncompressed_total",
      "Responses left uncompressed as too many others were being compressed."
    )
    out.sample(Encoders.passedOver.toDouble)
  }
}
