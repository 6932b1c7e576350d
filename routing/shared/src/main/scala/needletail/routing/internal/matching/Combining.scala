package needletail.routing.internal.matching

import needletail.routing.internal.typing.Concat

/** A pattern whose value is computed from another's, by `map` or `filter`: `f` returns a value or a [[Fault]]. */
private[routing] trait Derived { this: Pattern =>
  def of: Pattern
  def f: Any => Any

  /** Whether `f` may return a [[Fault]]. */
  def refuses: Boolean

  private[routing] def value(in: Matching): Any = of.value(in) match {
    case fault: Fault => fault
    case Pending      => Pending
    case v            => f(v)
  }
  private[routing] def children: List[Pattern] = List(of)
  private[routing] def segments: Int           = of.segments

  // what is refused after a filter or a body is answered: no other route is tried then
  private[routing] override def demands(at: Int): Set[Any] =
    if (refuses && !isAsync) of.demands(at) + ((at, this)) else of.demands(at)
}

/** Two patterns, one after the other. */
private[routing] trait Both { this: Pattern =>
  def left: Pattern
  def right: Pattern
  def values: Concat[?, ?, ?]

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
   * Evaluated once to match, and again after filters have run and the body has been read. Values found the first time
   * are kept: the bytes of the request may have moved, and no user function runs twice.
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

  private[routing] def children: List[Pattern] = List(left, right)

  private[routing] override def demands(at: Int): Set[Any] =
    left.demands(at) ++ right.demands(at + left.segments)
}

/**
 * The common part of subroutes. Its value, or fault, is evaluated once per request and kept while routes are matched.
 */
private[routing] trait Shared { this: Pattern =>
  def of: Pattern
  private[routing] def value(in: Matching): Any =
    if (!reads) {
      in.index += segments
      ()
    } else in.once(of)
  private[routing] def children: List[Pattern] = List(of)
  private[routing] def segments: Int           = of.segments

  private[routing] override def demands(at: Int): Set[Any] = of.demands(at)
}
