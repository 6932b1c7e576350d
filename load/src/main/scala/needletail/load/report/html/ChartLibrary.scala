package needletail.load.report.html

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale

/** The script and style sheet of the charts, read from the class path and included in each page. */
private[report] object ChartLibrary {

  /** Chart.js, with the comment that names its licence (MIT). The version is the one in build.sbt. */
  lazy val chartJs: String = inScript(resource("META-INF/resources/webjars/chart.js/4.4.4/dist/chart.umd.js"))
    .linesIterator.filterNot(_.startsWith("//# sourceMappingURL")).mkString("\n")

  lazy val script: String = inScript(resource("needletail/load/report/page.js"))
  lazy val style: String  = resource("needletail/load/report/page.css")

  private def inScript(text: String): String = {
    require(!text.toLowerCase(Locale.ROOT).contains("</script"), "a script that would end its element")
    text
  }

  private def resource(name: String): String = {
    val stream = getClass.getClassLoader.getResourceAsStream(name)
    require(stream != null, s"$name is not on the class path")
    try new String(stream.readAllBytes(), UTF_8)
    finally stream.close()
  }
}
