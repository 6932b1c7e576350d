package needletail.json

/** Writes an `A` as JSON: enables `.toJson` and members of `Json.obj`. */
@annotation.implicitNotFound(
  "there is no JsonWriter[${A}], which converts ${A} to JSON; for your own type, define one in its companion object: implicit val writer: JsonWriter[${A}] = a => Json.obj(\"id\" -> a.id, …). A List, Option or Map of T needs only a JsonWriter[T]"
)
trait JsonWriter[-A] {

  /** The value as JSON. Must not throw. */
  def write(value: A): Json

  /** A writer of another type, converted by `f`: `JsonWriter.of[String].contramap(_.name)`. */
  final def contramap[B](f: B => A): JsonWriter[B] = JsonWriter(value => write(f(value)))
}

object JsonWriter {

  /** A writer by a function. */
  def apply[A](f: A => Json): JsonWriter[A] = new JsonWriter[A] {
    def write(value: A): Json = f(value)
  }

  /** The implicit writer of `A`. */
  def of[A](implicit writer: JsonWriter[A]): JsonWriter[A] = writer

  implicit val json: JsonWriter[Json]             = value => value
  implicit val string: JsonWriter[String]         = Json.Str(_)
  implicit val boolean: JsonWriter[Boolean]       = Json.Bool(_)
  implicit val int: JsonWriter[Int]               = value => new Json.Num(value.toString)
  implicit val long: JsonWriter[Long]             = value => new Json.Num(value.toString)
  implicit val bigInt: JsonWriter[BigInt]         = value => new Json.Num(value.toString)
  implicit val bigDecimal: JsonWriter[BigDecimal] = value => new Json.Num(value.toString)

  /** The shortest text that reads as the same Double; null for NaN and infinities, which JSON does not have. */
  implicit val double: JsonWriter[Double] = value =>
    if (value.isNaN || value.isInfinite) Json.Null
    else if (value == Math.rint(value) && Math.abs(value) < 1e15 && !isNegativeZero(value))
      new Json.Num(value.toLong.toString)
    else new Json.Num(value.toString)

  private def isNegativeZero(value: Double) = value == 0 && 1 / value < 0

  /** Null for `None`. */
  implicit def option[A](implicit writer: JsonWriter[A]): JsonWriter[Option[A]] =
    value => value.fold[Json](Json.Null)(writer.write)

  implicit def seq[A](implicit writer: JsonWriter[A]): JsonWriter[Seq[A]] =
    values => Json.Arr(values.iterator.map(writer.write).toVector)

  implicit def map[A](implicit writer: JsonWriter[A]): JsonWriter[Map[String, A]] =
    values => new Json.Obj(values.iterator.map { case (name, value) => (name, writer.write(value)) }.toVector)
}
