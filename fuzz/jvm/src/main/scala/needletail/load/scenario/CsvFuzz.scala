package needletail.load.scenario

import needletail.fuzz.{Check, FuzzTarget}

/** Tables of a scenario's feeders: rows that are written with quotes and parsed again are the same. */
object CsvFuzz extends FuzzTarget("csv") {
  def check(data: Array[Byte]): Unit = {
    val text = Check.text(data)
    Csv.parse(text) match {
      case Left(_)     => Check(text.contains('"'), "refused without a quotation mark")
      case Right(rows) =>
        rows.foreach(row => Check(row.nonEmpty, "a row without values"))
        val quoted =
          rows.map(_.map(v => "\"" + v.replace("\"", "\"\"") + "\"").mkString(",") + "\r\n").mkString
        Check.same("written and read again", Csv.parse(quoted), Right(rows))
        if (!text.contains('"'))
          Check.same(
            "another reader",
            rows,
            text
              .split("\n", -1)
              .toVector
              .map(_.replace("\r", "").split(",", -1).toVector.map(_.trim))
              .filter(_ != Vector(""))
          )
    }
  }

  override def read(data: Array[Byte]): Unit = { Csv.parse(Check.text(data)); () }
}
