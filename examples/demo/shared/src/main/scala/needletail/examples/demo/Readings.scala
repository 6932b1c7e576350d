package needletail.examples.demo

/** Sums out of a server's metrics, in Prometheus' text format; without what the live page itself causes. */
private[demo] final class Readings(text: String) {

  /** The sum of the samples of that name. */
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
