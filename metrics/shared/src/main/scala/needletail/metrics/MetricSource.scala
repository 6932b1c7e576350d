package needletail.metrics

/** Adds metrics to a server's `/metrics`: those of a client, of a pool, or of an application. */
trait MetricSource {

  /**
   * Writes the current values. It is called on an event loop each time that metrics are read, so it must not block. An
   * exception is logged, and the page continues with the next source.
   */
  def write(out: MetricText): Unit
}
