package needletail.routing

import needletail.http.{Reply, Response, ToReply}
import needletail.routing.internal.matching.{Both, Derived, Fault, Pattern, Quote, Shared}
import needletail.routing.internal.typing.{Concat, Mistake, NoValues, NotAPart, TextIsNoResponse}

/**
 * A part of the pattern that a route matches requests against, with a value of type `A`: a path, a query parameter, a
 * header, a body, a filter, or several of these. `Unit` means that it has no value.
 *
 * Parts are immutable, hold no state of a request and may be used in any number of routes. `+` combines two parts; their
 * values become one flat tuple, in order.
 */
abstract class Part[A] private[routing] () extends SeveralParameters {

  // ---- combining

  /** Requires `part` too. */
  def +[B, C](part: Part[B])(implicit values: Concat[A, B, C]): Part[C] =
    new BothParts[C](this, part, values)

  /** Does not compile: this overload exists for its error message, which lists what can be added. */
  def +[P](other: P)(implicit not: NotAPart[P]): Mistake = not(other)

  /** Converts the value with `f`. An exception of `f` results in a 500; to refuse a value, use `filter`. */
  def map[B](f: A => B): Part[B] = new DerivedPart[B](this, v => f(v.asInstanceOf[A]), refuses = false)

  /**
   * Refuses values for which `accept` is false with 400 and `message`, in which `{NAME}` and `{VALUE}` are replaced.
   */
  def filter(accept: A => Boolean, message: String = Quote.DefaultMessage): Part[A] =
    new DerivedPart[A](this, Part.check(this, accept, message), refuses = true)

  /** Converts the value with `f`; a `Left` refuses the request with that response, unless another route matches. */
  def refine[B](f: A => Either[Response, B]): Part[B] =
    new DerivedPart[B](this, Part.refined(this, f), refuses = true)

  // ---- handling

  /**
   * The route with `handler`, a function of the value: `to (id => …)`, or `to { case (id, name) => … }` for several.
   * It returns a `Response`, `Async[Response]`, `Future[Response]`, `Reply` or `Async[Reply]`. It is called on the event
   * loop of the connection and must not block.
   */
  def to[R](handler: A => R)(implicit toReply: ToReply[R]): Route =
    Route(this, values => toReply(handler(values.asInstanceOf[A])))

  /**
   * The route with `reply`, for parts without a value. It is evaluated for each request; keep a response that never
   * changes in a `val`, so that it is encoded only once.
   */
  def to(reply: => Reply)(implicit noValues: NoValues[A]): Route = {
    val _ = noValues
    Route(this, _ => reply)
  }

  /** Does not compile: this overload exists for its error message, which shows how to make a response of a text. */
  def to(text: String)(implicit textIsNoResponse: TextIsNoResponse): Route =
    Route(this, _ => textIsNoResponse(text))
}

private[routing] object Part {

  def check[A](part: Pattern, accept: A => Boolean, message: String): Any => Any = { v =>
    if (accept(v.asInstanceOf[A])) v
    else
      Fault.badRequest(Quote.fill(message, part.shortName, Part.show(v)), part.isPath)
  }

  def refined[A](part: Pattern, f: A => Either[Response, Any]): Any => Any = { v =>
    f(v.asInstanceOf[A]).fold(Fault.refused(_, part.isPath), identity)
  }

  /** A value in an error message: a tuple without its parentheses. */
  private def show(v: Any): String = v match {
    case tuple: Product if tuple.productPrefix.startsWith("Tuple") => tuple.productIterator.mkString(", ")
    case other                                                     => String.valueOf(other)
  }

  /** The routes, all of which must contain `base`: otherwise an IllegalArgumentException names one that does not. */
  def under(base: Pattern, routes: Seq[Routes]): Routes = {
    val result = Routes(routes*)
    result.all.foreach { route =>
      if (!route.pattern.all.exists(_ eq base))
        throw new IllegalArgumentException(
          s"the subroute $route does not contain the common part: begin it with the function's argument"
        )
    }
    result
  }
}

private final class DerivedPart[A](val of: Pattern, val f: Any => Any, val refuses: Boolean)
    extends Part[A]
    with Derived {
  private[routing] override val reads: Boolean   = true
  private[routing] override val isAsync: Boolean = of.isAsync
}

private final class BothParts[A](val left: Pattern, val right: Pattern, val values: Concat[?, ?, ?])
    extends Part[A]
    with Both {
  private[routing] override val reads: Boolean   = left.reads || right.reads
  private[routing] override val isAsync: Boolean = left.isAsync || right.isAsync
  private[routing] val segments: Int             = left.segments + right.segments
}

private final class SharedPart[A](val of: Part[A]) extends Part[A] with Shared {
  private[routing] override val reads: Boolean   = of.reads
  private[routing] override val isAsync: Boolean = of.isAsync
}
