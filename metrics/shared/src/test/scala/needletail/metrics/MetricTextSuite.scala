package needletail.metrics

import needletail.testing.Suite

/** Prometheus' text format, version 0.0.4. */
class MetricTextSuite extends Suite {
  test("counters and gauges") {
    val out = new MetricText
    out.counter("a_total", "All.")
    out.sample(3)
    out.sample(0.25, "kind" -> "x", "other" -> "y")
    out.gauge("b:c", "More.")
    out.sample(Double.PositiveInfinity)
    assertEquals(
      out.toString,
      """# HELP a_total All.
        |# TYPE a_total counter
        |a_total 3
        |a_total{kind="x",other="y"} 0.25
        |# HELP b:c More.
        |# TYPE b:c gauge
        |b:c +Inf
        |""".stripMargin
    )
  }

  test("histograms count up, and end in a bucket without bound") {
    val out = new MetricText
    out.histogram("t_seconds", "Time.")
    out.buckets(Seq(0.5, 1), Seq(2, 0, 1), 7.5, "k" -> "v")
    assertEquals(
      out.toString.linesIterator.drop(2).toList,
      List(
        "t_seconds_bucket{k=\"v\",le=\"0.5\"} 2",
        "t_seconds_bucket{k=\"v\",le=\"1\"} 2",
        "t_seconds_bucket{k=\"v\",le=\"+Inf\"} 3",
        "t_seconds_sum{k=\"v\"} 7.5",
        "t_seconds_count{k=\"v\"} 3"
      )
    )
  }

  test("any text may be the value of a label, and help") {
    val out = new MetricText
    out.gauge("a", "a \\ \"b\"\nc")
    out.sample(1, "x" -> "a \\ \"b\"\nc")
    assertEquals(
      out.toString,
      "# HELP a a \\\\ \"b\"\\nc\n# TYPE a gauge\na{x=\"a \\\\ \\\"b\\\"\\nc\"} 1\n"
    )
  }

  test("names that the format does not allow, or that are there, are refused") {
    val out = new MetricText
    intercept[IllegalArgumentException](out.sample(1))
    List("", "1a", "a-b", "ä").foreach(name => intercept[IllegalArgumentException](out.gauge(name, "x")))
    out.gauge("a", "x")
    intercept[IllegalArgumentException](out.gauge("a", "x"))
    intercept[IllegalArgumentException](out.sample(1, "a:b" -> "x"))
    intercept[IllegalArgumentException](out.buckets(Seq(1), Seq(1, 1), 2))
  }

  test("a call that throws writes nothing, so that what others write stays readable") {
    val out = new MetricText
    out.counter("a_total", "All.")
    out.sample(1)
    val before = out.toString
    intercept[IllegalArgumentException](out.sample(2, "good" -> "x", "not good" -> "y"))
    intercept[NullPointerException](out.sample(2, "good" -> (null: String)))
    intercept[NullPointerException](out.gauge("b", null))
    assertEquals(out.toString, before)
    out.gauge("b", "Declared by nobody so far.")
    out.histogram("c", "Times.")
    val declared = out.toString
    intercept[IllegalArgumentException](out.buckets(Seq(1), Seq(1, 2), 3, "not good" -> "y"))
    assertEquals(out.toString, declared)
  }
}
