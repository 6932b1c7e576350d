import sbt._

/**
 * The Scala blocks of the documents as sources, so that examples compile. What a block takes for granted stands in an
 * HTML comment before it: `<!-- given: import … -->`, in one line or several. An ellipsis stands for any expression.
 *
 * A block of curl commands and their output belongs to the last block above it that defines `val routes`. It is run
 * against a server of these routes: see docs/suite.
 */
object DocBlocks {
  private val Block =
    """(?s)(?:<!-- given:(.*?)-->\s*)?```scala\n(.*?)\n```|```[a-z]*\n(\$ curl .*?)\n```""".r

  /** A block of commands: where it stands, the object with its routes, and its text. */
  private case class Session(place: String, routes: String, text: String)

  def generate(documents: Seq[File], out: File): Seq[File] = {
    val found = documents.sortBy(_.getName).map(document => one(document, out))
    val list  = out / "Sessions.scala"
    IO.writeLines(
      list,
      Seq(
        "package needletail.documents",
        "",
        "/** Commands of the documents, with the routes they are about. */",
        "object Sessions {",
        "  def all: List[(String, () => needletail.http.Handler, String)] = List("
      ) ++ found
        .flatMap(_._2)
        .map(s => s"    (${quote(s.place)}, () => ${s.routes}.handler(), ${quote(s.text)})")
        .mkString(",\n")
        .linesIterator ++ Seq("  )", "}")
    )
    found.flatMap(_._1) :+ list
  }

  private def one(document: File, out: File): (Seq[File], Seq[Session]) = {
    var files        = Vector.empty[File]
    var sessions     = Vector.empty[Session]
    var last: String = null // the object of the last routes
    Block.findAllMatchIn(IO.read(document)).foreach { found =>
      if (found.group(3) != null) {
        if (last != null)
          sessions :+= Session(s"${document.getName}, ${sessions.size + 1}", last, found.group(3))
      } else {
        val name =
          s"${document.base.split('-').map(_.toLowerCase.capitalize).mkString}${files.size + 1}"
        val hasRoutes        = found.group(2).linesIterator.exists(_.startsWith("val routes"))
        val (imports, given) =
          (Option(found.group(1)).getOrElse("") + "\n").linesIterator.toSeq.partition(isImport)
        val (imported, shown) = found.group(2).replace("…", "???").linesIterator.toSeq.partition(isImport)
        val body              =
          given.map("    " + _) ++ Seq(
            "    locally {",
            "      object shown {"
          ) ++ shown.map("        " + _) ++
            Seq("      }", if (hasRoutes) "      shown.routes" else "      shown", "    }")
        val text = Seq(s"// $document, block ${files.size + 1}", "package needletail.documents", "") ++
          (imports ++ imported).map(_.trim).distinct ++ Seq(
            "",
            s"object $name {",
            if (hasRoutes) "  def handler(): needletail.http.Handler = {" else "  def shown(): Any = {"
          ) ++ body ++ Seq("  }", "}")
        val file = out / s"$name.scala"
        IO.writeLines(file, text)
        files :+= file
        if (hasRoutes) last = name
      }
    }
    (files, sessions)
  }

  private def isImport(line: String) = line.trim.startsWith("import ")

  private def quote(text: String) =
    "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\""
}
