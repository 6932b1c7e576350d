package needletail.routing.internal.description

import needletail.http.message.Method

/** The documentation of routes. `toString` is a table in plain text, `markdown` one in Markdown. */
final case class Description(routes: List[RouteDescription]) {
  private def cells: List[List[String]] =
    List("method", "path", "parameters", "documentation") ::
      routes.map(r => List(r.method.fold("any")(_.name), r.path, r.parameters.mkString(", "), r.doc))

  override def toString: String = {
    val widths = cells.transpose.map(_.map(_.length).max)
    cells
      .map(row => row.zip(widths).map { case (cell, width) => cell.padTo(width, ' ') }.mkString("  "))
      .map(line => line.reverse.dropWhile(_ == ' ').reverse)
      .mkString("\n")
  }

  /** The routes as a table in Markdown. */
  def markdown: String = {
    val rows = cells.map(_.map(_.replace("|", "\\|")).mkString("| ", " | ", " |"))
    (rows.head :: "|---|---|---|---|" :: rows.tail).mkString("\n")
  }
}

/**
 * The documentation of one route.
 *
 * @param method None for a route of all methods
 * @param path a template, such as `/users/{id}`
 */
final case class RouteDescription(
    method: Option[Method],
    path: String,
    parameters: List[ParameterDescription],
    doc: String
)

/**
 * The documentation of a parameter.
 *
 * @param in path, query, header, cookie, body or filter
 */
final case class ParameterDescription(name: String, in: String, typeName: String, required: Boolean) {
  override def toString: String = {
    val optional = if (required) "" else ", optional"
    in match {
      case "body"   => s"body: $typeName"
      case "filter" => s"filter: $name"
      case _        => s"$name: $typeName ($in$optional)"
    }
  }
}
