package needletail.routing.internal.matching

/** One segment of the path of a route, as the routing table and the documentation see it. */
private[routing] sealed abstract class Segment {

  /** Its form in documentation and metrics. */
  def template: String

  /** The same without a name: equal if it matches the same segments. */
  def shape: Segment = this
}

private[routing] object Segment {

  /** A literal: `users`. */
  final case class Text(text: String) extends Segment {
    def template: String =
      if (text.indexOf('/') < 0) text else text.replace("%", "%25").replace("/", "%2F")
  }

  /** Any one segment that is not empty: `{id}`. */
  final case class Captured(name: String) extends Segment {
    def template: String        = s"{$name}"
    override def shape: Segment = Segment.anyOne
  }

  /** The rest of the path: `*`. */
  case object Rest extends Segment {
    def template: String = "*"
  }

  private val anyOne: Segment = Captured("")

  /** A path as a template: `/users/{id}`. */
  def template(path: List[Segment]): String = path.map(_.template).mkString("/", "/", "")
}
