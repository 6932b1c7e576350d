package needletail.routing

// format: off
/**
 * `>>` converts values to an instance of a case class: `![Int] / ![String] >> Foo.apply` (or `>> Foo`, where the
 * compiler accepts a companion as a function). A path stays a path, so that `/` can follow.
 */
private[routing] trait Gather extends GatherOne {
  implicit class Gather2[F[X] <: Part[X], A1, A2](part: F[(A1, A2)]) {
    def >>[B](f: (A1, A2) => B): F[B] = part.map(f.tupled).asInstanceOf[F[B]]
  }
  implicit class Gather3[F[X] <: Part[X], A1, A2, A3](part: F[(A1, A2, A3)]) {
    def >>[B](f: (A1, A2, A3) => B): F[B] = part.map(f.tupled).asInstanceOf[F[B]]
  }
  implicit class Gather4[F[X] <: Part[X], A1, A2, A3, A4](part: F[(A1, A2, A3, A4)]) {
    def >>[B](f: (A1, A2, A3, A4) => B): F[B] = part.map(f.tupled).asInstanceOf[F[B]]
  }
  implicit class Gather5[F[X] <: Part[X], A1, A2, A3, A4, A5](part: F[(A1, A2, A3, A4, A5)]) {
    def >>[B](f: (A1, A2, A3, A4, A5) => B): F[B] = part.map(f.tupled).asInstanceOf[F[B]]
  }
  implicit class Gather6[F[X] <: Part[X], A1, A2, A3, A4, A5, A6](part: F[(A1, A2, A3, A4, A5, A6)]) {
    def >>[B](f: (A1, A2, A3, A4, A5, A6) => B): F[B] = part.map(f.tupled).asInstanceOf[F[B]]
  }
  implicit class Gather7[F[X] <: Part[X], A1, A2, A3, A4, A5, A6, A7](part: F[(A1, A2, A3, A4, A5, A6, A7)]) {
    def >>[B](f: (A1, A2, A3, A4, A5, A6, A7) => B): F[B] = part.map(f.tupled).asInstanceOf[F[B]]
  }
  implicit class Gather8[F[X] <: Part[X], A1, A2, A3, A4, A5, A6, A7, A8](part: F[(A1, A2, A3, A4, A5, A6, A7, A8)]) {
    def >>[B](f: (A1, A2, A3, A4, A5, A6, A7, A8) => B): F[B] = part.map(f.tupled).asInstanceOf[F[B]]
  }
  implicit class Gather9[F[X] <: Part[X], A1, A2, A3, A4, A5, A6, A7, A8, A9](part: F[(A1, A2, A3, A4, A5, A6, A7, A8, A9)]) {
    def >>[B](f: (A1, A2, A3, A4, A5, A6, A7, A8, A9) => B): F[B] = part.map(f.tupled).asInstanceOf[F[B]]
  }
  implicit class Gather10[F[X] <: Part[X], A1, A2, A3, A4, A5, A6, A7, A8, A9, A10](part: F[(A1, A2, A3, A4, A5, A6, A7, A8, A9, A10)]) {
    def >>[B](f: (A1, A2, A3, A4, A5, A6, A7, A8, A9, A10) => B): F[B] = part.map(f.tupled).asInstanceOf[F[B]]
  }
  implicit class Gather11[F[X] <: Part[X], A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11](part: F[(A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11)]) {
    def >>[B](f: (A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11) => B): F[B] = part.map(f.tupled).asInstanceOf[F[B]]
  }
  implicit class Gather12[F[X] <: Part[X], A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12](part: F[(A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12)]) {
    def >>[B](f: (A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12) => B): F[B] = part.map(f.tupled).asInstanceOf[F[B]]
  }
}

private[routing] trait GatherOne {
  // The casts are safe: each kind of part maps to its own kind.
  implicit class Gather1[F[X] <: Part[X], A](part: F[A]) {
    def >>[B](f: A => B): F[B] = part.map(f).asInstanceOf[F[B]]
  }
}
