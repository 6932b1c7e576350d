package needletail.content.validation

import needletail.http.message.Parameters
import needletail.routing.Read

/** Reads a field: one with a `Read`, an `Option` or a `List` of one. */
@annotation.implicitNotFound(
  "a field is read as a type with a Read, or as an Option or List of one; ${A} is none"
)
sealed abstract class ReadField[A] {

  /** The value, or its errors. */
  private[validation] def read(texts: List[String]): Either[String, A]
}

object ReadField {

  /** The first value with that name, which must be there. */
  implicit def one[A](implicit read: Read[A]): ReadField[A] = of {
    case text :: _ => read(text).toRight(s"expected ${read.name}")
    case Nil       => Left("is missing")
  }

  /** None if it is missing or empty, as browsers send fields that were not filled in. */
  implicit def optional[A](implicit read: Read[A]): ReadField[Option[A]] = of {
    case text :: _ if text.nonEmpty => read(text).map(Some(_)).toRight(s"expected ${read.name}")
    case _                          => Right(None)
  }

  /** All values with that name. */
  implicit def many[A](implicit read: Read[A]): ReadField[List[A]] = of { texts =>
    val values = texts.map(read(_))
    if (values.contains(None)) Left(s"expected ${read.name}") else Right(values.flatten)
  }

  private def of[A](f: List[String] => Either[String, A]): ReadField[A] = new ReadField[A] {
    private[validation] def read(texts: List[String]): Either[String, A] = f(texts)
  }

  private[content] def field[A](parameters: Parameters, name: String)(implicit
      reader: ReadField[A]
  ): Field[A] =
    reader.read(parameters.getAll(name)) match {
      case Right(value) => new Field(name, Some(value), Vector.empty)
      case Left(wrong)  => new Field(name, None, Vector(FieldError(name, wrong)))
    }
}
