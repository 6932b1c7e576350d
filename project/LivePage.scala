import sbt._

/** The demo's page as a constant: one program on each platform, with nothing beside it. */
object LivePage {

  /** Text that the class file format can hold in one constant, by far. */
  private val Piece = 8000

  def generate(directory: File, page: File): Seq[File] = {
    val html = IO
      .read(page / "live.html")
      .replace("/*STYLE*/", IO.read(page / "live.css"))
      .replace("/*SCRIPT*/", IO.read(page / "live.js"))
    // cut behind each $, or the compiler takes what follows for a forgotten interpolation
    val cut    = html.grouped(Piece).flatMap(_.split("(?<=\\$)"))
    val pieces = cut.map(piece => s"""    "${escaped(piece)}"""").mkString(",\n")
    val source =
      s"""package needletail.examples.demo
         |
         |private[demo] object LivePage {
         |  val html: String = List(
         |$pieces
         |  ).mkString
         |}
         |""".stripMargin
    val file = directory / "needletail" / "examples" / "demo" / "LivePage.scala"
    if (!file.exists || IO.read(file) != source) IO.write(file, source)
    Seq(file)
  }

  private def escaped(text: String): String = text.flatMap {
    case '"'          => "\\\""
    case '\\'         => "\\\\"
    case '\n'         => "\\n"
    case c if c < ' ' => "\\u%04x".format(c.toInt)
    case c            => c.toString
  }
}
