package needletail.load.report.data

import java.util.Locale

/** JUnit's XML, for continuous integration: a test case for each assertion. */
private[load] object JUnit {

  /**
   * @param seconds the total duration
   * @param output lines of the report, shown with the suite
   */
  def xml(name: String, cases: Vector[AssertionText], seconds: Double, output: Iterable[String]): String = {
    val failures = cases.count(!_.passed)
    // some readers report a suite without a case as an error: that the run was completed is one
    val all   = if (cases.isEmpty) Vector(AssertionText("run", "completed", passed = true, "")) else cases
    val tests = all.map { one =>
      val head = s"""    <testcase classname="${escape(s"$name, ${one.part}")}" name="${escape(
          one.condition
        )}" time="0""""
      if (one.passed) s"$head/>"
      else
        s"""$head>
           |      <failure message="${escape(one.reason)}" type="assertion">${escape(
            s"${one.condition}: ${one.reason}"
          )}</failure>
           |    </testcase>""".stripMargin
    }
    val time = String.format(Locale.ROOT, "%.3f", Double.box(seconds))
    s"""<?xml version="1.0" encoding="UTF-8"?>
       |<testsuites tests="${all.size}" failures="$failures" errors="0" time="$time">
       |  <testsuite name="${escape(
        name
      )}" tests="${all.size}" failures="$failures" errors="0" skipped="0" time="$time">
       |${tests.mkString("\n")}
       |    <system-out>${escape(output.mkString("\n"))}</system-out>
       |  </testsuite>
       |</testsuites>
       |""".stripMargin
  }

  /** XML 1.0 has no way to write most control characters, so they are left out. */
  def escape(text: String): String = {
    val out = new java.lang.StringBuilder
    var i   = 0
    while (i < text.length) {
      val c = text.codePointAt(i)
      i += Character.charCount(c)
      c match {
        case '&'                                                                     => out.append("&amp;")
        case '<'                                                                     => out.append("&lt;")
        case '>'                                                                     => out.append("&gt;")
        case '"'                                                                     => out.append("&quot;")
        case '\''                                                                    => out.append("&#39;")
        case '\n'                                                                    => out.append("&#10;")
        case '\t'                                                                    => out.append("&#9;")
        case _ if c < ' ' || c >= 0xd800 && c < 0xe000 || c == 0xfffe || c == 0xffff => out.append('\ufffd')
        case _                                                                       => out.appendCodePoint(c)
      }
    }
    out.toString
  }
}
