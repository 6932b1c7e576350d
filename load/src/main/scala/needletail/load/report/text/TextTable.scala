package needletail.load.report.text

/** A table for a terminal: the first column is left-aligned, the others are right-aligned. */
private[load] final case class TextTable(head: Vector[String], rows: Vector[Vector[String]]) {
  def lines: Vector[String] = {
    val all    = head +: rows
    val widths = head.indices.map(column => all.map(_.lift(column).fold(0)(_.length)).max)
    val last   = head.size - 1
    all.map { row =>
      row.zipWithIndex
        .map { case (cell, column) =>
          // words after the numbers are left-aligned, without trailing spaces
          if (column == 0) cell.padTo(widths(column), ' ')
          else if (column == last && words) cell
          else " " * (widths(column) - cell.length) + cell
        }
        .mkString("  ")
        .replaceAll("\\s+$", "")
    }
  }

  private def words: Boolean = rows.exists(_.lastOption.exists(_.exists(_.isUpper)))
}
