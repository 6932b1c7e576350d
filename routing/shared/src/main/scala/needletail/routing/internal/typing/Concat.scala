package needletail.routing.internal.typing

/**
 * How the values of two parts, an `A` and a `B`, are combined into a `C`: a `Unit` is dropped, tuples are flattened,
 * and a tuple has at most 12 members. There is one instance for each pair of sizes, so that Scala 2.13 and 3 share
 * them without a macro. `C` is a type parameter, not a member, so that compilers show it in messages.
 */
@annotation.implicitNotFound(
  "the values ${A} and ${B} do not fit into one tuple: a route has at most 12 values; combine some of them into a case class with >>"
)
sealed abstract class Concat[A, B, C] {

  /** The combined value of an `A` and a `B`. */
  private[needletail] def join(a: Any, b: Any): Any
}

object Concat extends ConcatRight {
  private[routing] def of[A, B, C](f: (A, B) => C): Concat[A, B, C] = new Concat[A, B, C] {
    private[needletail] def join(a: Any, b: Any): Any = f(a.asInstanceOf[A], b.asInstanceOf[B])
  }

  implicit def unitLeft[B]: Concat[Unit, B, B] = new Concat[Unit, B, B] {
    private[needletail] def join(a: Any, b: Any): Any = b
  }
}

private[routing] sealed trait ConcatRight extends ConcatTuples {
  implicit def unitRight[A]: Concat[A, Unit, A] = new Concat[A, Unit, A] {
    private[needletail] def join(a: Any, b: Any): Any = a
  }
}

/** Two single values. (The evidence that they are single is required, not used.) */
@annotation.nowarn("msg=evidence parameter")
private[routing] trait ConcatOnes {
  import Concat.of
  implicit def ones[A: One, B: One]: Concat[A, B, (A, B)] = of((a, b) => (a, b))
}

// format: off
/** A tuple and a single value, in either order. */
@annotation.nowarn("msg=evidence parameter")
private[routing] trait ConcatOne extends ConcatOnes {
  import Concat.of
  implicit def append2[A1, A2, B: One]: Concat[(A1, A2), B, (A1, A2, B)] =
    of((a, b) => (a._1, a._2, b))
  implicit def append3[A1, A2, A3, B: One]: Concat[(A1, A2, A3), B, (A1, A2, A3, B)] =
    of((a, b) => (a._1, a._2, a._3, b))
  implicit def append4[A1, A2, A3, A4, B: One]: Concat[(A1, A2, A3, A4), B, (A1, A2, A3, A4, B)] =
    of((a, b) => (a._1, a._2, a._3, a._4, b))
  implicit def append5[A1, A2, A3, A4, A5, B: One]: Concat[(A1, A2, A3, A4, A5), B, (A1, A2, A3, A4, A5, B)] =
    of((a, b) => (a._1, a._2, a._3, a._4, a._5, b))
  implicit def append6[A1, A2, A3, A4, A5, A6, B: One]: Concat[(A1, A2, A3, A4, A5, A6), B, (A1, A2, A3, A4, A5, A6, B)] =
    of((a, b) => (a._1, a._2, a._3, a._4, a._5, a._6, b))
  implicit def append7[A1, A2, A3, A4, A5, A6, A7, B: One]: Concat[(A1, A2, A3, A4, A5, A6, A7), B, (A1, A2, A3, A4, A5, A6, A7, B)] =
    of((a, b) => (a._1, a._2, a._3, a._4, a._5, a._6, a._7, b))
  implicit def append8[A1, A2, A3, A4, A5, A6, A7, A8, B: One]: Concat[(A1, A2, A3, A4, A5, A6, A7, A8), B, (A1, A2, A3, A4, A5, A6, A7, A8, B)] =
    of((a, b) => (a._1, a._2, a._3, a._4, a._5, a._6, a._7, a._8, b))
  implicit def append9[A1, A2, A3, A4, A5, A6, A7, A8, A9, B: One]: Concat[(A1, A2, A3, A4, A5, A6, A7, A8, A9), B, (A1, A2, A3, A4, A5, A6, A7, A8, A9, B)] =
    of((a, b) => (a._1, a._2, a._3, a._4, a._5, a._6, a._7, a._8, a._9, b))
  implicit def append10[A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, B: One]: Concat[(A1, A2, A3, A4, A5, A6, A7, A8, A9, A10), B, (A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, B)] =
    of((a, b) => (a._1, a._2, a._3, a._4, a._5, a._6, a._7, a._8, a._9, a._10, b))
  implicit def append11[A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, B: One]: Concat[(A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11), B, (A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, B)] =
    of((a, b) => (a._1, a._2, a._3, a._4, a._5, a._6, a._7, a._8, a._9, a._10, a._11, b))
  implicit def prepend2[A: One, B1, B2]: Concat[A, (B1, B2), (A, B1, B2)] =
    of((a, b) => (a, b._1, b._2))
  implicit def prepend3[A: One, B1, B2, B3]: Concat[A, (B1, B2, B3), (A, B1, B2, B3)] =
    of((a, b) => (a, b._1, b._2, b._3))
  implicit def prepend4[A: One, B1, B2, B3, B4]: Concat[A, (B1, B2, B3, B4), (A, B1, B2, B3, B4)] =
    of((a, b) => (a, b._1, b._2, b._3, b._4))
  implicit def prepend5[A: One, B1, B2, B3, B4, B5]: Concat[A, (B1, B2, B3, B4, B5), (A, B1, B2, B3, B4, B5)] =
    of((a, b) => (a, b._1, b._2, b._3, b._4, b._5))
  implicit def prepend6[A: One, B1, B2, B3, B4, B5, B6]: Concat[A, (B1, B2, B3, B4, B5, B6), (A, B1, B2, B3, B4, B5, B6)] =
    of((a, b) => (a, b._1, b._2, b._3, b._4, b._5, b._6))
  implicit def prepend7[A: One, B1, B2, B3, B4, B5, B6, B7]: Concat[A, (B1, B2, B3, B4, B5, B6, B7), (A, B1, B2, B3, B4, B5, B6, B7)] =
    of((a, b) => (a, b._1, b._2, b._3, b._4, b._5, b._6, b._7))
  implicit def prepend8[A: One, B1, B2, B3, B4, B5, B6, B7, B8]: Concat[A, (B1, B2, B3, B4, B5, B6, B7, B8), (A, B1, B2, B3, B4, B5, B6, B7, B8)] =
    of((a, b) => (a, b._1, b._2, b._3, b._4, b._5, b._6, b._7, b._8))
  implicit def prepend9[A: One, B1, B2, B3, B4, B5, B6, B7, B8, B9]: Concat[A, (B1, B2, B3, B4, B5, B6, B7, B8, B9), (A, B1, B2, B3, B4, B5, B6, B7, B8, B9)] =
    of((a, b) => (a, b._1, b._2, b._3, b._4, b._5, b._6, b._7, b._8, b._9))
  implicit def prepend10[A: One, B1, B2, B3, B4, B5, B6, B7, B8, B9, B10]: Concat[A, (B1, B2, B3, B4, B5, B6, B7, B8, B9, B10), (A, B1, B2, B3, B4, B5, B6, B7, B8, B9, B10)] =
    of((a, b) => (a, b._1, b._2, b._3, b._4, b._5, b._6, b._7, b._8, b._9, b._10))
  implicit def prepend11[A: One, B1, B2, B3, B4, B5, B6, B7, B8, B9, B10, B11]: Concat[A, (B1, B2, B3, B4, B5, B6, B7, B8, B9, B10, B11), (A, B1, B2, B3, B4, B5, B6, B7, B8, B9, B10, B11)] =
    of((a, b) => (a, b._1, b._2, b._3, b._4, b._5, b._6, b._7, b._8, b._9, b._10, b._11))
}

/** Evidence that `A` is not a tuple, which would be several values. For a tuple two instances are ambiguous. */
sealed abstract class One[A]

object One extends OneOfAny {
  @annotation.implicitAmbiguous("a route has at most 12 values; combine some of them into a case class with >>")
  implicit def tuple2[A1, A2]: One[(A1, A2)] = one
  implicit def notTuple2[A1, A2]: One[(A1, A2)] = one
  @annotation.implicitAmbiguous("a route has at most 12 values; combine some of them into a case class with >>")
  implicit def tuple3[A1, A2, A3]: One[(A1, A2, A3)] = one
  implicit def notTuple3[A1, A2, A3]: One[(A1, A2, A3)] = one
  @annotation.implicitAmbiguous("a route has at most 12 values; combine some of them into a case class with >>")
  implicit def tuple4[A1, A2, A3, A4]: One[(A1, A2, A3, A4)] = one
  implicit def notTuple4[A1, A2, A3, A4]: One[(A1, A2, A3, A4)] = one
  @annotation.implicitAmbiguous("a route has at most 12 values; combine some of them into a case class with >>")
  implicit def tuple5[A1, A2, A3, A4, A5]: One[(A1, A2, A3, A4, A5)] = one
  implicit def notTuple5[A1, A2, A3, A4, A5]: One[(A1, A2, A3, A4, A5)] = one
  @annotation.implicitAmbiguous("a route has at most 12 values; combine some of them into a case class with >>")
  implicit def tuple6[A1, A2, A3, A4, A5, A6]: One[(A1, A2, A3, A4, A5, A6)] = one
  implicit def notTuple6[A1, A2, A3, A4, A5, A6]: One[(A1, A2, A3, A4, A5, A6)] = one
  @annotation.implicitAmbiguous("a route has at most 12 values; combine some of them into a case class with >>")
  implicit def tuple7[A1, A2, A3, A4, A5, A6, A7]: One[(A1, A2, A3, A4, A5, A6, A7)] = one
  implicit def notTuple7[A1, A2, A3, A4, A5, A6, A7]: One[(A1, A2, A3, A4, A5, A6, A7)] = one
  @annotation.implicitAmbiguous("a route has at most 12 values; combine some of them into a case class with >>")
  implicit def tuple8[A1, A2, A3, A4, A5, A6, A7, A8]: One[(A1, A2, A3, A4, A5, A6, A7, A8)] = one
  implicit def notTuple8[A1, A2, A3, A4, A5, A6, A7, A8]: One[(A1, A2, A3, A4, A5, A6, A7, A8)] = one
  @annotation.implicitAmbiguous("a route has at most 12 values; combine some of them into a case class with >>")
  implicit def tuple9[A1, A2, A3, A4, A5, A6, A7, A8, A9]: One[(A1, A2, A3, A4, A5, A6, A7, A8, A9)] = one
  implicit def notTuple9[A1, A2, A3, A4, A5, A6, A7, A8, A9]: One[(A1, A2, A3, A4, A5, A6, A7, A8, A9)] = one
  @annotation.implicitAmbiguous("a route has at most 12 values; combine some of them into a case class with >>")
  implicit def tuple10[A1, A2, A3, A4, A5, A6, A7, A8, A9, A10]: One[(A1, A2, A3, A4, A5, A6, A7, A8, A9, A10)] = one
  implicit def notTuple10[A1, A2, A3, A4, A5, A6, A7, A8, A9, A10]: One[(A1, A2, A3, A4, A5, A6, A7, A8, A9, A10)] = one
  @annotation.implicitAmbiguous("a route has at most 12 values; combine some of them into a case class with >>")
  implicit def tuple11[A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11]: One[(A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11)] = one
  implicit def notTuple11[A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11]: One[(A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11)] = one
  @annotation.implicitAmbiguous("a route has at most 12 values; combine some of them into a case class with >>")
  implicit def tuple12[A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12]: One[(A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12)] = one
  implicit def notTuple12[A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12]: One[(A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12)] = one
}

private[routing] sealed trait OneOfAny {
  implicit def one[A]: One[A] = OneOfAny.instance.asInstanceOf[One[A]]
}

private object OneOfAny {
  val instance: One[Any] = new One[Any] {}
}
