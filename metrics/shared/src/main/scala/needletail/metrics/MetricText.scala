package needletail.metrics

/**
 * Writes metrics in Prometheus' text format, version 0.0.4: each metric is declared once, by `counter`, `gauge` or
 * `histogram`, and its samples follow.
 *
 * {{{
 *   out.counter("store_orders_total", "Orders taken.")
 *   out.sample(orders, "kind" -> "gift")
 * }}}
 * Names of metrics and of labels are ASCII letters, digits and `_`, and do not begin with a digit; names of metrics may
 * have `:` too. Values of labels and help may be any text. All methods throw IllegalArgumentException for a name that
 * the format does not allow, for a metric that has been declared before, and for samples of the wrong type. A call that
 * throws has written nothing.
 */
final class MetricText {
  private val out      = new java.lang.StringBuilder(16 * 1024)
  private var family   = ""
  private var kind     = ""
  private val declared = scala.collection.mutable.Set.empty[String]

  /** Declares a counter, a value that only grows. Its name should end in `_total`. */
  def counter(name: String, help: String): Unit = declare(name, "counter", help)

  /** Declares a gauge, a value that goes up and down. */
  def gauge(name: String, help: String): Unit = declare(name, "gauge", help)

  /** Declares a histogram: how many values fell into which bucket. */
  def histogram(name: String, help: String): Unit = declare(name, "histogram", help)

  private def declare(name: String, kind: String, help: String): Unit = {
    require(MetricText.isName(name, colons = true), s"'$name' is not a name that a metric may have")
    require(!declared(name), s"the metric '$name' has been declared before")
    wholly {
      out.append("# HELP ").append(name).append(' ')
      escape(help, quotes = false)
      out.append("\n# TYPE ").append(name).append(' ').append(kind).append('\n')
      ()
    }
    declared += name
    family = name
    this.kind = kind
  }

  /** Writes all that `write` writes, or nothing if it throws: half a line would make the whole text unreadable. */
  private def wholly(write: => Unit): Unit = {
    val before = out.length
    var isDone = false
    try {
      write
      isDone = true
    } finally if (!isDone) out.setLength(before)
  }

  /** Writes one value of the counter or gauge that was declared last. */
  def sample(value: Double, labels: (String, String)*): Unit = {
    require(kind == "counter" || kind == "gauge", "a counter or gauge must be declared before its samples")
    wholly(line("", labels, null, value))
  }

  /**
   * Writes one histogram under the name that was declared last. Prometheus' buckets are cumulative; this adds up.
   *
   * @param bounds upper bounds of the buckets, rising; the last bucket has none
   * @param counts how many values fell into each bucket; one more than there are bounds
   * @param sum the sum of all values, in the unit of the bounds
   */
  def buckets(bounds: Seq[Double], counts: Seq[Long], sum: Double, labels: (String, String)*): Unit = {
    require(kind == "histogram", "a histogram must be declared before its buckets")
    require(counts.length == bounds.length + 1, "there must be one bucket more than there are bounds")
    wholly {
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
  }

  private def line(suffix: String, labels: Seq[(String, String)], bound: String, value: Double): Unit = {
    out.append(family).append(suffix)
    var open                                     = false
    def label(name: String, value: String): Unit = {
      require(MetricText.isName(name, colons = false), s"'$name' is not a name that a label may have")
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

  /** Everything written so far. */
  override def toString: String = out.toString
}

object MetricText {

  /** The media type of the text. */
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
