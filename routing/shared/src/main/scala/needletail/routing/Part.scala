package needletail.routing

import needletail.http.{Reply, Response, ToReply}

/**
 * One part of what a route asks of a request, with a value of type `A`: a path, a query parameter, a header, a
 * body, a filter, or several of them. `Unit` means no value.
 *
 * Parts are immutable, hold nothing of a request and may be used in any number of routes. `+` puts two
 * together; their values become one flat tuple, in order.
 */
abstract class Part[A] private[routing] () {

  /**
   * This part's value, a [[Fault]] where the request is not what it asks for, or [[Pending]] where a filter or
   * a body in it has not come yet. Parts are asked in order, so that path parts find their segments.
   */
  private[routing] def value(in: Matching): Any

  /** The parts this one consists of; empty for a simple one. */
  private[routing] def children: List[Part[?]]

  /** Does it look at more than method and literal segments, which the routing table has checked already? */
  private[routing] def reads: Boolean = children.exists(_.reads)

  /** Is there a filter or a body in it, which has to wait until the route has matched? */
  private[routing] def isAsync: Boolean = children.exists(_.isAsync)

  /** How many path segments it stands for; the rest of a path counts as one. */
  private[routing] def segments: Int

  /** What `{NAME}` of its filter stands for. */
  private[routing] def shortName: String = children.map(_.shortName).filter(_.nonEmpty).distinct.mkString(", ")

  /** This part and all within, from left to right. */
  private[routing] final def all: List[Part[?]] = this :: children.flatMap(_.all)

  // ---- combining

  /** Asks for `part` too. */
  def +[B](part: Part[B])(implicit values: Concat[A, B]): Part[values.Out] =
    new BothParts[values.Out](this, part, values)

  /** Asks for nothing: this overload exists to say what can be added. */
  def +[P](other: P)(implicit not: NotAPart[P]): Mistake = not(other)

  /** Makes something else of the values. What `f` throws is answered with 500; to refuse a value, `filter` it. */
  def map[B](f: A => B): Part[B] = new DerivedPart[B](this, v => f(v.asInstanceOf[A]))

  /** Refuses values with 400 and `message`, in which `{NAME}` and `{VALUE}` are filled in. */
  def filter(accept: A => Boolean, message: String = Quote.DefaultMessage): Part[A] =
    new DerivedPart[A](this, Part.check(this, accept, message))

  // ---- handling

  /**
   * The route that answers with `handler`, a function of the values: `to { case (id, name) => … }`,
   * `to (id => …)`. It may answer `Response`, `Async[Response]`, `Future[Response]` or `Reply`; it is called on
   * the connection's loop and must not block.
   */
  def to[R](handler: A => R)(implicit toReply: ToReply[R]): Route =
    Route(this, values => toReply(handler(values.asInstanceOf[A])))

  /**
   * The route that answers `reply`, where there is no value to make it of. It is evaluated anew for each
   * request; keep an answer that never changes in a `val`, then it is rendered only once.
   */
  def to(reply: => Reply)(implicit noValues: NoValues[A]): Route = {
    val _ = noValues
    Route(this, _ => reply)
  }

  /** Not an answer: this overload exists to say so. */
  def to(text: String)(implicit textIsNoResponse: TextIsNoResponse): Route =
    Route(this, _ => textIsNoResponse(text))
}

private[routing] object Part {

  def check[A](part: Part[?], accept: A => Boolean, message: String): Any => Any = { v =>
    if (accept(v.asInstanceOf[A])) v
    else
      Fault.badRequest(Quote.fill(message, part.shortName, Part.show(v)), part.isInstanceOf[Path[?]])
  }

  /** A part's values as its message shows them: a tuple without the parentheses. */
  private def show(v: Any): String = v match {
    case tuple: Product if tuple.productPrefix.startsWith("Tuple") => tuple.productIterator.mkString(", ")
    case other                                                      => String.valueOf(other)
  }

  def under(base: Part[?], routes: Seq[Routes]): Routes = {
    val result = Routes(routes*)
    result.all.foreach { route =>
      if (!route.pattern.all.exists(_ eq base))
        throw new IllegalArgumentException(
          s"$route stands in subroutes but does not contain their common part: begin it with the function's argument"
        )
    }
    result
  }
}

/** The type of what does not compile. A type of its own: `Nothing` would fit wherever a part is expected. */
sealed abstract class Mistake

/** Says what may be added to a route with `+`; there is no instance. */
@annotation.implicitNotFound(
  "a ${P} cannot be added to a route with +; what can: a method, a path that begins with one (GET / \"x\"), ?(\"name\", ![T]), header, cookie, Body[T], Filter, attachment. A path segment is added with /"
)
sealed abstract class NotAPart[P] {
  private[routing] def apply(other: P): Mistake
}

/** Says that a route has no values, so that it can be answered without a function. */
@annotation.implicitNotFound(
  "this route has values: give `to` a function of them, such as to { values => ... } or, for several, to { case (a, b) => ... }"
)
sealed abstract class NoValues[A]

object NoValues {
  implicit val unit: NoValues[Unit] = new NoValues[Unit] {}
}

@annotation.implicitNotFound("a text is not a response yet: write \"...\".ok, or .notFound, .withStatus(status)")
sealed abstract class TextIsNoResponse {
  private[routing] def apply(text: String): Response
}

/** A part whose value is made of another's: what `map` and `filter` make. `f` answers a value or a [[Fault]]. */
private[routing] trait Derived { this: Part[?] =>
  def of: Part[?]
  def f: Any => Any

  private[routing] def value(in: Matching): Any = of.value(in) match {
    case fault: Fault => fault
    case Pending      => Pending
    case v            => f(v)
  }
  private[routing] def children: List[Part[?]] = List(of)
  private[routing] def segments: Int           = of.segments
}

private final class DerivedPart[A](val of: Part[?], val f: Any => Any) extends Part[A] with Derived {
  private[routing] override val reads: Boolean   = true
  private[routing] override val isAsync: Boolean = of.isAsync
}

/** Two parts, one after the other. */
private[routing] trait Both { this: Part[?] =>
  def left: Part[?]
  def right: Part[?]
  def values: Concat[?, ?]

  private[routing] def value(in: Matching): Any =
    if (isAsync) valueOfAsync(in)
    else {
      val a = left.value(in)
      if (a.isInstanceOf[Fault]) a
      else {
        val b = right.value(in)
        if (b.isInstanceOf[Fault]) b else values.join(a, b)
      }
    }

  /**
   * Asked once to match, and again when what had to wait has come. What was found the first time is remembered:
   * the bytes of the request may have moved since, and no function of the user's runs twice.
   */
  private def valueOfAsync(in: Matching): Any = {
    val a = in.once(left)
    if (a.isInstanceOf[Fault]) a
    else {
      val b = in.once(right)
      if (b.isInstanceOf[Fault]) b
      else if ((a.asInstanceOf[AnyRef] eq Pending) || (b.asInstanceOf[AnyRef] eq Pending)) Pending
      else values.join(a, b)
    }
  }

  private[routing] def children: List[Part[?]] = List(left, right)
}

private final class BothParts[A](val left: Part[?], val right: Part[?], val values: Concat[?, ?])
    extends Part[A]
    with Both {
  private[routing] override val reads: Boolean   = left.reads || right.reads
  private[routing] override val isAsync: Boolean = left.isAsync || right.isAsync
  private[routing] val segments: Int             = left.segments + right.segments
}

/** The common part of subroutes: its value, or fault, is remembered for as long as the request is matched. */
private[routing] trait Shared { this: Part[?] =>
  def of: Part[?]
  private[routing] def value(in: Matching): Any =
    if (!reads) {
      in.index += segments
      ()
    } else in.once(of)
  private[routing] def children: List[Part[?]] = List(of)
  private[routing] def segments: Int           = of.segments
}

private final class SharedPart[A](val of: Part[A]) extends Part[A] with Shared {
  private[routing] override val reads: Boolean   = of.reads
  private[routing] override val isAsync: Boolean = of.isAsync
}
