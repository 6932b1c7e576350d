package needletail.routing

/**
 * A method, path segments, or both: what stands before the first `+` of most routes. `/` appends a segment.
 *
 * A path matches whole: `GET / "foo"` matches neither `/foobar` nor `/foo/`, for which `GET / "foo" / ""` would
 * stand. Segments are percent-decoded after the path has been split, so that an encoded slash does not split;
 * a captured one is never empty.
 */
abstract class Path[A] private[routing] () extends Part[A] {

  /** Appends a literal; one with slashes in it stands for several segments. */
  def /(literal: String)(implicit values: Concat[A, Unit]): Path[values.Out] =
    new BothPaths[values.Out](this, Literal.path(literal), values)

  /** Appends a [[Value]], another path, `*` or `!*`. */
  def /[B](path: Path[B])(implicit values: Concat[A, B]): Path[values.Out] =
    new BothPaths[values.Out](this, path, values)

  /** Appends nothing: this overload exists to say what can be appended. */
  def /[P](other: P)(implicit not: NotInPath[P]): Mistake = not(other)

  override def map[B](f: A => B): Path[B] = new DerivedPath[B](this, v => f(v.asInstanceOf[A]))

  override def filter(accept: A => Boolean, message: String = Quote.DefaultMessage): Path[A] =
    new DerivedPath[A](this, Part.check(this, accept, message))

  /**
   * Routes that begin with this path. It is evaluated once for each request, however many of them are tried.
   *
   * {{{
   * "orders" subroutes { orders =>
   *   Routes(
   *     orders + GET / ![Long] to (id => find(id)),
   *     orders + POST + Body[Order] to (order => add(order))
   *   )
   * }
   * }}}
   * One function may answer all of them, or each of several one. Throws IllegalArgumentException when one of
   * the routes does not contain the path.
   */
  def subroutes(routes: (Path[A] => Routes)*): Routes = {
    val base = new SharedPath[A](this)
    Part.under(base, routes.map(_(base)))
  }
}

/** Says what may stand in a path; there is no instance. */
@annotation.implicitNotFound(
  "a ${P} cannot stand in a path; what can: a literal in quotes, ![T] (in Scala 3 arg[T]) to read one segment as a T, * to accept the rest, !* to capture it. Query parameters, headers, cookies and bodies are added with +, and only they can be optional or lists"
)
sealed abstract class NotInPath[P] {
  private[routing] def apply(other: P): Mistake
}

/** One literal segment, compared as octets after decoding; case matters. */
private[routing] final class Literal private (val text: String) extends Path[Unit] {
  private[routing] def value(in: Matching): Any = in.index += 1
  private[routing] def children: List[Part[?]]  = Nil
  private[routing] def segments: Int            = 1
}

private[routing] object Literal {
  val empty: Literal = new Literal("")

  /** A text as segments, one for each slash in it; a slash in front is the one that every path has. */
  def path(text: String): Path[Unit] = {
    val segments = text.stripPrefix("/").split("/", -1).map(new Literal(_): Path[Unit])
    segments.reduceLeft((a, b) => new BothPaths[Unit](a, b, Concat.unitLeft[Unit]))
  }
}

/** Everything after a slash, be it nothing; decoded segment by segment where it is `captured`. */
private[routing] final class Rest[A](captured: Boolean) extends Path[A] {
  private val label = new Label("path", null, true)

  private[routing] def value(in: Matching): Any =
    if (!captured) in.index += 1
    else {
      val texts = in.takeRest()
      if (texts == null) label.notUtf8 else texts
    }
  private[routing] def children: List[Part[?]] = Nil
  private[routing] override def reads: Boolean = captured
  private[routing] def segments: Int           = 1
  private[routing] override def shortName      = "path"
}

private final class DerivedPath[A](val of: Path[?], val f: Any => Any) extends Path[A] with Derived {
  private[routing] override val reads: Boolean = true
}

private[routing] final class BothPaths[A](val left: Path[?], val right: Path[?], val values: Concat[?, ?])
    extends Path[A]
    with Both {
  private[routing] override val reads: Boolean   = left.reads || right.reads
  private[routing] override val isAsync: Boolean = false
  private[routing] val segments: Int             = left.segments + right.segments
}

private final class SharedPath[A](val of: Path[A]) extends Path[A] with Shared {
  private[routing] override val reads: Boolean = of.reads
}
