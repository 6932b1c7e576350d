package needletail.load.report.html

import needletail.load.analysis.verdict.{Limit, Verdict}

/** Parts of a page. Every text that is not a constant is escaped by `text`. */
private[report] object Html {

  def text(content: String): String = {
    val out = new StringBuilder
    content.foreach {
      case '&'                                    => out.append("&amp;")
      case '<'                                    => out.append("&lt;")
      case '>'                                    => out.append("&gt;")
      case '"'                                    => out.append("&quot;")
      case '\''                                   => out.append("&#39;")
      case c if c < ' ' && c != '\n' && c != '\t' => out.append('\ufffd')
      case c                                      => out.append(c)
    }
    out.toString
  }

  def card(value: String, name: String): String =
    s"""<div class="card"><b>${text(value)}</b><span>${text(name)}</span></div>"""

  def cards(all: Vector[(String, String)]): String =
    all.map { case (value, name) => card(value, name) }.mkString("<div class=\"cards\">\n", "\n", "\n</div>")

  def badge(verdict: Verdict): String = badge(verdict, verdict.limit.name)

  def badge(verdict: Verdict, name: String): String = {
    val kind = verdict.limit match {
      case Limit.Client    => "bad"
      case Limit.Uncertain => "doubt"
      case _               => "good"
    }
    s"""<span class="badge $kind">${text(name)}</span>"""
  }

  def passed(yes: Boolean): String =
    if (yes) """<span class="badge good">passed</span>""" else """<span class="badge bad">FAILED</span>"""

  /**
   * A table.
   *
   * @param words columns that contain words, in addition to the first
   * @param rows cells, as markup
   */
  def table(head: Vector[String], rows: Vector[Vector[String]], words: Set[Int] = Set.empty): String = {
    def kind(column: Int) = if (words(column)) " class=\"text\"" else ""
    val top  = head.zipWithIndex.map { case (name, i) => s"<th${kind(i)}>${text(name)}</th>" }.mkString
    val body = rows.map { row =>
      row.zipWithIndex.map { case (cell, i) => s"<td${kind(i)}>$cell</td>" }.mkString("<tr>", "", "</tr>")
    }
    s"""<div class="scroll"><table><thead><tr>$top</tr></thead><tbody>
       |${body.mkString("\n")}
       |</tbody></table></div>""".stripMargin
  }

  def section(title: String, content: String): String = s"<h2>${text(title)}</h2>\n$content\n"

  /** An element for each chart. */
  def places(charts: Vector[Chart], first: Int): String =
    charts.zipWithIndex.map { case (chart, i) =>
      s"""<div class="chart"><h3>${text(
          chart.title
        )}</h3><div class="plot"><canvas id="chart${first + i}" role="img" """ +
        s"""aria-label="${text(chart.title)}"></canvas></div><p class="soft">${text(chart.note)}</p></div>"""
    }.mkString("<div class=\"charts\">\n", "\n", "\n</div>")

  /** A self-contained page. */
  def page(title: String, body: String, charts: Vector[Chart]): String =
    s"""<!DOCTYPE html>
       |<html lang="en">
       |<head>
       |<meta charset="utf-8">
       |<meta name="viewport" content="width=device-width, initial-scale=1">
       |<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
       |<title>${text(title)}</title>
       |<style>
       |${ChartLibrary.style}</style>
       |</head>
       |<body>
       |<main>
       |$body
       |</main>
       |<script type="application/json" id="charts">${Chart.toJson(charts)}</script>
       |<script>
       |${ChartLibrary.chartJs}
       |</script>
       |<script>
       |${ChartLibrary.script}</script>
       |</body>
       |</html>
       |""".stripMargin
}
