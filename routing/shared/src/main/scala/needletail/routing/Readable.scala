package needletail.routing

import needletail.routing.internal.typing.{MissingTo, Mistake}

/**
 * The types of `![A]`: one with a [[Read]], which makes a [[Value]] that can be used anywhere; `Option` and `List` of
 * one, which make [[Values]] for query parameters, headers and cookies.
 */
@annotation.implicitNotFound(
  "there is no Read[${A}], which converts text to ${A}; for your own type, add one line to its companion object: implicit val read: Read[${A}] = Read.of(\"its name for error messages\")(text => Some or None)"
)
sealed abstract class Readable[A] {

  /** What `![A]` is: a [[Value]], or [[Values]]. */
  type Reader
  private[routing] def reader(name: String): Reader
}

object Readable {
  implicit def one[A](implicit read: Read[A]): Readable[A] { type Reader = Value[A] } = new Readable[A] {
    type Reader = Value[A]
    private[routing] def reader(name: String) = Value.of(read, name)
  }

  implicit def optional[A](implicit read: Read[A]): Readable[Option[A]] { type Reader = Values[Option[A]] } =
    new Readable[Option[A]] {
      type Reader = Values[Option[A]]
      private[routing] def reader(name: String) = Value.of(read, name).optional
    }

  implicit def many[A](implicit read: Read[A]): Readable[List[A]] { type Reader = Values[List[A]] } =
    new Readable[List[A]] {
      type Reader = Values[List[A]]
      private[routing] def reader(name: String) = Value.of(read, name).list
    }
}

/** The `!` of `![Int]`, and `arg` in `arg[Int]`. */
object Arg {

  /** Reads an `A`. */
  def apply[A](implicit readable: Readable[A]): readable.Reader = readable.reader(null)

  /** Reads an `A` called `name` in error messages and documentation. */
  def apply[A](name: String)(implicit readable: Readable[A]): readable.Reader = readable.reader(name)

  /**
   * Does not compile: this overload exists for its error message, which says that `to` is missing. Scala 2 shows it only
   * if the function's parameter has a type, otherwise `missing parameter type`: if there are type arguments, it types a
   * function before it chooses an overload, so that nothing of ours can be in the message.
   */
  def apply[A](handler: A => Any)(implicit not: MissingTo): Mistake = not(handler)
}
