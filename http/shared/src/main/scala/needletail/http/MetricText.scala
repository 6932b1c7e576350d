package needletail.http

/** Adds figures to `/metrics`: a client's, a pool's, your own. */
trait MetricSource {

  /** Called for each time that metrics are read, on an event loop: it must not block. */
  def write(out: MetricText): Unit
}

/**
 * Writes figures in Prometheus' text format, version 0.0.4: for each name what it is, then its samples.
 *
 * {{{
 *   out.counter("store_orders_total", "Orders taken.")
 *   out.sample(orders, "kind" -> "gift")
 * }}}
 * Names and labels must be what the format allows (letters, digits, `_`, for names also `:`), and a name may be
 * declared once; else IllegalArgumentException. Values of labels may be any text.
 */
final class MetricText {
  private val out      = new java.lang.StringBuilder(16 * 1024)
  private var family   = ""
  private var kind     = ""
  private val declared = scala.collection.mutable.Set.empty[String]

  /** What only grows; its name ends in `_total`. */
  def counter(name: String, help: String): Unit = declare(name, "counter", help)

  /** What goes up and down. */
  def gauge(name: String, help: String): Unit = declare(name, "gauge", help)

  /** How often something fell into which bucket. */
  def histogram(name: String, help: String): Unit = declare(name, "histogram", help)

  private def declare(name: String, kind: String, help: String): Unit = {
    require(MetricText.isName(name, colons = true), s"'$name' is no name of a metric")
    require(declared.add(name), s"the metric '$name' is there already")
    family = name
    this.kind = kind
    out.append("# HELP ").append(name).append(' ')
    escape(help, quotes = false)
    out.append("\n# TYPE ").append(name).append(' ').append(kind).append('\n')
    ()
  }

  /** One value of the counter or gauge that was declared last. */
  def sample(value: Double, labels: (String, String)*): Unit = {
    require(kind == "counter" || kind == "gauge", "a counter or gauge must be declared before its samples")
    line("", labels, null, value)
  }

  /**
   * One histogram of those declared last.
   *
   * @param bounds upper bounds of the buckets, rising, without the last one's, which is endless
   * @param counts how many fell into each bucket, one more than there are bounds
   * @param sum of all values
   */
  def buckets(bounds: Seq[Double], counts: Seq[Long], sum: Double, labels: (String, String)*): Unit = {
    require(kind == "histogram", "a histogram must be declared before its buckets")
    require(counts.length == bounds.length + 1, "one bucket more than there are bounds")
    var total = 0L
    bounds.zip(counts).foreach { case (bound, count) =>
      total += count
      line("_bucket", labels, MetricText.number(bound), total.toDouble)
    }
    total += counts.last
    line("_bucket", labels, "+Inf", total.toDouble)
    line("_sum", labels, null, sum)
    line("_count", labels, null, total.toDouble)
  }

  private def line(suffix: String, labels: Seq[(String, String)], bound: String, value: Double): Unit = {
    out.append(family).append(suffix)
    var open                                     = false
    def label(name: String, value: String): Unit = {
      require(MetricText.isName(name, colons = false), s"'$name' is no name of a label")
      out.append(if (open) ',' else '{').append(name).append("=\"")
      open = true
      escape(value, quotes = true)
      out.append('"')
      ()
    }
    labels.foreach { case (name, value) => label(name, value) }
    if (bound != null) label("le", bound)
    if (open) out.append('}')
    out.append(' ').append(MetricText.number(value)).append('\n')
    ()
  }

  private def escape(text: String, quotes: Boolean): Unit = text.foreach {
    case '\\'          => out.append("\\\\")
    case '\n'          => out.append("\\n")
    case '"' if quotes => out.append("\\\"")
    case c             => out.append(c)
  }

  override def toString: String = out.toString
}

object MetricText {

  /** The media type of what this writes. */
  val contentType: String = "text/plain; version=0.0.4; charset=utf-8"

  private def isName(text: String, colons: Boolean): Boolean = text.nonEmpty && {
    def isFirst(c: Char) =
      (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (colons && c == ':')
    isFirst(text.charAt(0)) && text.forall(c => isFirst(c) || (c >= '0' && c <= '9'))
  }

  private def number(value: Double): String =
    if (value.isNaN) "NaN"
    else if (value.isInfinite) { if (value > 0) "+Inf" else "-Inf" }
    else if (value == value.toLong && Math.abs(value) < 1e15) value.toLong.toString
    else value.toString
}
