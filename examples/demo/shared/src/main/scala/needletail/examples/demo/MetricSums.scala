package needletail.examples.demo

/** Sums of a server's metrics in Prometheus' text format, without those of the live page itself. */
private[demo] final class MetricSums(text: String) {

  /** The sum of the samples with that name. */
  def sum(name: String): Double =
    text.linesIterator
      .filter(line =>
        line.startsWith(name) && line.length > name.length && " {".indexOf(
          line.charAt(name.length).toInt
        ) >= 0
      )
      .filterNot(_.contains(s"""route="${Live.Path}"""))
      .map(line => line.substring(line.lastIndexOf(' ') + 1).toDouble)
      .sum
}
