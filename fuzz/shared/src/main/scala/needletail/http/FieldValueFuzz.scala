package needletail.http

import needletail.fuzz.{Check, FuzzTarget}
import needletail.http.message.{HeaderList, MediaType}
import needletail.http.text.HttpDate

/** Structured field values: dates, media types with parameters, lists. */
object FieldValueFuzz extends FuzzTarget("field-value") {
  private val Fixdate = """(Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT""".r

  def check(data: Array[Byte]): Unit = {
    val text = Check.text(data)
    HttpDate.parse(text).foreach { second =>
      val written = HttpDate.format(second)
      Check.same("a date written and read", HttpDate.parse(written), Some(second))
      // the day of the week is not compared, the rest is
      if (Fixdate.pattern.matcher(text).matches && !text.contains(":60"))
        Check.same("a date", written.drop(4), text.drop(4))
    }
    val essence = MediaType.essence(text)
    Check.same("the type of a type", MediaType.essence(essence), essence)
    Check(!essence.contains(';'), "parameters in a type")
    val charset = MediaType.charset(Some(text))
    if (charset.canEncode) MediaType.decode("a".getBytes(charset), charset)
    // a parameter's value that is a token is found, whatever precedes it
    if (text.count(_ == '"') == 0 && MediaType.parameter(text, "q").isEmpty)
      Check.same("a parameter", MediaType.parameter(s"$text;q=x", "Q"), Some("x"))
    val members = HeaderList.split(text)
    members.foreach(m => Check(m.nonEmpty && m == m.trim, s"a member '$m'"))
    if (!text.contains('"'))
      Check.same("a list", members, text.split(",", -1).toList.map(_.trim).filter(_.nonEmpty))
    else if (text.count(_ == '"') % 2 == 0 && !text.contains('\\'))
      Check.same("a list again", HeaderList.split(members.mkString(", ")), members)
  }

  override def read(data: Array[Byte]): Unit = {
    val text = Check.text(data)
    HttpDate.parse(text)
    MediaType.essence(text)
    MediaType.parameter(text, "charset")
    HeaderList.split(text)
    ()
  }
}
