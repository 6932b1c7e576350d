import sbt._

/**
 * The Scala blocks of the documents as sources, so that examples compile. What a block takes for granted stands in an
 * HTML comment before it: `<!-- given: import … -->`, in one line or several. An ellipsis stands for any expression.
 */
object DocBlocks {
  private val Block = """(?s)(?:<!-- given:(.*?)-->\s*)?```scala\n(.*?)\n```""".r

  def generate(documents: Seq[File], out: File): Seq[File] =
    for {
      document       <- documents.sortBy(_.getName)
      (found, index) <- Block.findAllMatchIn(IO.read(document)).toSeq.zipWithIndex
      name             = s"${document.base.split('-').map(_.toLowerCase.capitalize).mkString}${index + 1}"
      file             = out / s"$name.scala"
      (imports, given) = (Option(found.group(1)).getOrElse("") + "\n").linesIterator.toSeq.partition(isImport)
      (imported, shown) = found.group(2).replace("…", "???").linesIterator.toSeq.partition(isImport)
    } yield {
      val body =
        given.map("    " + _) ++ Seq("    locally {", "      object shown {") ++ shown.map("        " + _) ++
          Seq("      }", "      shown", "    }")
      val text = Seq(s"// $document, block ${index + 1}", "package needletail.documents", "") ++
        (imports ++ imported).map(_.trim).distinct ++ Seq(
          "",
          s"object $name {",
          "  def shown(): Any = {"
        ) ++ body ++ Seq("  }", "}")
      IO.writeLines(file, text)
      file
    }

  private def isImport(line: String) = line.trim.startsWith("import ")
}
