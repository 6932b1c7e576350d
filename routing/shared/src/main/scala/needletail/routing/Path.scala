package needletail.routing

import needletail.http.Response
import needletail.routing.internal.matching.{
  Both,
  Derived,
  Label,
  LiteralMistake,
  Matching,
  Pattern,
  Quote,
  Segment,
  Shared
}
import needletail.routing.internal.typing.{Concat, Mistake, NotInPath, SubroutesAreAFunction}

/**
 * A method, path segments, or both: how most routes begin. `/` appends a segment.
 *
 * The whole path must match: `GET / "foo"` matches neither `/foobar` nor `/foo/`; for the latter write `GET / "foo" /
 * ""`. Segments are percent-decoded after the path has been split, so that an encoded slash does not split. A captured
 * segment is never empty.
 */
abstract class Path[A] private[routing] () extends Part[A] {

  private[routing] final override def isPath: Boolean = true

  /**
   * Appends a literal; one that contains slashes is several segments. Throws IllegalArgumentException for braces and
   * question marks, which are most likely meant to capture something (`segment` allows them), and for `.` and `..`, which
   * no request matches.
   */
  def /(literal: String): Path[A] = new BothPaths[A](this, Literal.path(literal), Concat.unitRight[A])

  /** Appends a [[Value]], another path, `*` or `!*`. */
  def /[B, C](path: Path[B])(implicit values: Concat[A, B, C]): Path[C] =
    new BothPaths[C](this, path, values)

  /** Does not compile: this overload exists for its error message, which lists what can be appended. */
  def /[P](other: P)(implicit not: NotInPath[P]): Mistake = not(other)

  override def map[B](f: A => B): Path[B] =
    new DerivedPath[B](this, v => f(v.asInstanceOf[A]), refuses = false)

  override def filter(accept: A => Boolean, message: String = Quote.DefaultMessage): Path[A] =
    new DerivedPath[A](this, Part.check(this, accept, message), refuses = true)

  override def refine[B](f: A => Either[Response, B]): Path[B] =
    new DerivedPath[B](this, Part.refined(this, f), refuses = true)

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
  def subroutes[R](routes: (Path[A] => R)*)(implicit areRoutes: AreRoutes[R]): Routes = {
    val base = new SharedPath[A](this)
    Part.under(base, routes.map(f => areRoutes(f(base))))
  }

  /** Does not compile: this overload exists for its error message, which describes subroutes. */
  def subroutes(routes: Routes)(implicit not: SubroutesAreAFunction): Mistake = not(routes)
}

/**
 * A literal segment, compared as bytes after decoding; case-sensitive.
 *
 * @param isExact made by `segment`: an empty one may stand anywhere
 */
private[routing] final class Literal private (val text: String, isExact: Boolean) extends Path[Unit] {
  private[routing] def value(in: Matching): Any  = in.index += 1
  private[routing] def children: List[Pattern]   = Nil
  private[routing] def segments: Int             = 1
  private[routing] override val segment: Segment = Segment.Text(text)
  private[routing] override def isLastSegment    = text.isEmpty && !isExact
}

private[routing] object Literal {

  /**
   * A text as segments, split at slashes; a leading slash is ignored. Throws IllegalArgumentException for one that was
   * most likely meant to be more than a text, and for one that no request matches.
   */
  def path(text: String): Path[Unit] = {
    val segments = text.stripPrefix("/").split("/", -1)
    val mistake  = LiteralMistake.of(text, segments.toVector)
    if (mistake != null) throw new IllegalArgumentException(mistake)
    segments
      .map(new Literal(_, isExact = false): Path[Unit])
      .reduceLeft((a, b) => new BothPaths[Unit](a, b, Concat.unitLeft[Unit]))
  }

  /** One segment with that text. Throws IllegalArgumentException for `.` and `..`, which no request matches. */
  def segment(text: String): Path[Unit] =
    if (LiteralMistake.isDots(text)) throw new IllegalArgumentException(LiteralMistake.dots(text))
    else new Literal(text, isExact = true)
}

/** Everything after a slash, which may be nothing; decoded segment by segment if it is `captured`. */
private[routing] final class Rest[A](captured: Boolean) extends Path[A] {
  private val label = new Label("path", null, true)

  private[routing] def value(in: Matching): Any =
    if (!captured) in.index += 1
    else {
      val texts = in.takeRest()
      if (texts == null) label.notUtf8 else texts
    }
  private[routing] def children: List[Pattern]   = Nil
  private[routing] override def reads: Boolean   = captured
  private[routing] def segments: Int             = 1
  private[routing] override def segment: Segment = Segment.Rest
  private[routing] override def shortName        = "path"

  // apart from malformed UTF-8, which only a route takes that does not read it
  private[routing] override def demands(at: Int): Set[Any] = Set.empty
}

private final class DerivedPath[A](val of: Path[?], val f: Any => Any, val refuses: Boolean)
    extends Path[A]
    with Derived {
  private[routing] override val reads: Boolean = true
}

private[routing] final class BothPaths[A](val left: Path[?], val right: Path[?], val values: Concat[?, ?, ?])
    extends Path[A]
    with Both {
  private[routing] override val reads: Boolean   = left.reads || right.reads
  private[routing] override val isAsync: Boolean = false
  private[routing] val segments: Int             = left.segments + right.segments
}

private final class SharedPath[A](val of: Path[A]) extends Path[A] with Shared {
  private[routing] override val reads: Boolean = of.reads
}
