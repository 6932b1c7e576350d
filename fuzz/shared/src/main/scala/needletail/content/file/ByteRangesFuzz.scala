package needletail.content.file

import needletail.fuzz.{Check, FuzzTarget}

/** Range fields by [[ByteRanges]], of contents of several sizes: the same bytes as by regular expressions. */
object ByteRangesFuzz extends FuzzTarget("byte-ranges") {
  private val First = """(\d+)-(\d*)""".r
  private val Last  = """-(\d+)""".r

  def check(data: Array[Byte]): Unit = {
    val text = Check.text(data)
    for (size <- List(0L, 1L, 10L, 1000L, Long.MaxValue / 2)) {
      ByteRanges.parse(text, size, most = 5) match {
        case ByteRanges.Parts(parts) =>
          Check(parts.nonEmpty && parts.length <= 5, s"${parts.length} parts")
          parts.foreach { case (from, until) =>
            Check(0 <= from && from < until && until <= size, s"$from $until")
          }
          parts.sorted.zip(parts.sorted.drop(1)).foreach { case (one, next) =>
            Check(one._2 < next._1, s"$one and $next overlap or touch")
          }
          val asked = expected(text, BigInt(size))
          Check(asked.isDefined, "another reader does not understand it")
          for ((from, until) <- asked.get; at <- List(from, (from + until) / 2, until - 1))
            Check(parts.exists(part => part._1 <= at && at < part._2), s"$at is asked for, and not there")
          for ((from, until) <- parts; at <- List(from, until - 1))
            Check(asked.get.exists(part => part._1 <= at && at < part._2), s"$at is there, and not asked for")
        case ByteRanges.Unsatisfiable =>
          Check.same("nothing is there", expected(text, BigInt(size)), Some(Nil))
        case ByteRanges.Whole => ()
      }
    }
  }

  override def read(data: Array[Byte]): Unit = { ByteRanges.parse(Check.text(data), 1000, 5); () }

  /** Numbers that no offset can be are all the same. */
  private def number(text: String): BigInt = BigInt(text).min(Long.MaxValue)

  /** The ranges that are not empty; None if the field is malformed. */
  private def expected(text: String, size: BigInt): Option[List[(BigInt, BigInt)]] =
    text.split("=", 2) match {
      case Array(unit, specs) if unit.equalsIgnoreCase("bytes") =>
        val all = specs.split(",").toList.map(_.trim).filter(_.nonEmpty).map {
          case Last(count)     => Some(((size - BigInt(count)).max(0), size))
          case First(from, "") => Some((number(from).min(size), size))
          case First(from, last) if number(last) >= number(from) =>
            Some((number(from).min(size), (number(last) + 1).min(size)))
          case _ => None
        }
        if (all.isEmpty || all.contains(None)) None
        else Some(all.flatten.filter { case (from, until) => from < until })
      case _ => None
    }
}
