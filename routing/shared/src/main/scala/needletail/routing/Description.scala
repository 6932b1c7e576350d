package needletail.routing

import needletail.http.Method

/** What routes are, for people: a line for each. `toString` is a table in plain text, `markdown` one in Markdown. */
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

  def markdown: String = {
    val rows = cells.map(_.map(_.replace("|", "\\|")).mkString("| ", " | ", " |"))
    (rows.head :: "|---|---|---|---|" :: rows.tail).mkString("\n")
  }
}

/**
 * @param method `None` for a route that answers to all
 * @param path a template, such as `/users/{id}`
 */
final case class RouteDescription(
    method: Option[Method],
    path: String,
    parameters: List[ParameterDescription],
    doc: String
)

/** @param in path, query, header, cookie, body or filter */
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

private[routing] object Describe {
  def apply(routes: List[Route]): Description = Description(routes.map(describe))

  private def describe(route: Route): RouteDescription =
    RouteDescription(route.method, template(route), route.leaves.flatMap(parameter), route.settings.doc)

  private def parameter(part: Part[?]): Option[ParameterDescription] = part match {
    case v: Value[?]         => Some(ParameterDescription(v.pathName, "path", v.typeName, required = true))
    case p: Parameter[?]     =>
      Some(ParameterDescription(p.field.name, p.field.kind, p.values.typeName, p.values.isRequired))
    case p: LiteralParameter => Some(ParameterDescription(p.field.name, p.field.kind, s"'${p.text}'", required = true))
    case b: BodyPart[?]      => Some(ParameterDescription("body", "body", b.reader.name, required = true))
    case f: FilterPart[?]        => Some(ParameterDescription(f.name, "filter", "", required = true))
    case _                   => None
  }

  /** The path as a template. */
  def template(route: Route): String = {
    val segments = route.leaves.collect {
      case l: Literal  => l.text
      case v: Value[?] => s"{${v.pathName}}"
      case _: Rest[?]  => "*"
    }
    segments.mkString("/", "/", "")
  }
}
