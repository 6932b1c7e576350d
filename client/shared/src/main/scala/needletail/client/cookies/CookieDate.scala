package needletail.client.cookies

import needletail.http.text.{Ascii, HttpDate}

/** The dates of Expires, as loosely as servers write them (RFC 6265 §5.1.1). */
private[cookies] object CookieDate {
  private val months =
    List("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

  /** In seconds since 1970; None if it is not a date. */
  def parse(text: String): Option[Long] = {
    var (time, day, month, year) = ("", -1, "", -1)
    tokens(text).foreach { token =>
      if (time.isEmpty && isTime(token)) time = timeOf(token)
      else if (day < 0 && number(token, 1, 2) >= 0) day = number(token, 1, 2)
      else if (month.isEmpty && monthOf(token) != null) month = monthOf(token)
      else if (year < 0 && number(token, 2, 4) >= 0) year = number(token, 2, 4)
    }
    if (year >= 70 && year <= 99) year += 1900 else if (year >= 0 && year <= 69) year += 2000
    if (time.isEmpty || month.isEmpty || day < 1 || day > 31 || year < 1601) None
    else HttpDate.parse(s"Thu, ${two(day)} $month $year $time GMT")
  }

  private def tokens(text: String): List[String] =
    text.map(c => if (isDelimiter(c)) ' ' else c).split(' ').toList.filter(_.nonEmpty)

  private def isDelimiter(c: Char): Boolean =
    c < 127 && c != ':' && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z')

  private def monthOf(token: String): String = {
    val start = Ascii.lower(token.take(3))
    months.find(Ascii.lower(_) == start).orNull
  }

  private def parts(token: String): List[String] = token.split(":", -1).toList

  private def isTime(token: String): Boolean =
    parts(token) match {
      case h :: m :: s :: Nil => number(h, 1, 2) >= 0 && number(m, 1, 2) >= 0 && number(s, 1, 2) >= 0
      case _                  => false
    }

  private def timeOf(token: String): String = parts(token).map(p => two(number(p, 1, 2))).mkString(":")

  /** The number of `least` to `most` digits that a token begins with; -1 if it does not. */
  private def number(token: String, least: Int, most: Int): Int = {
    val digits = token.takeWhile(c => c >= '0' && c <= '9')
    if (digits.length < least || digits.length > most) -1 else digits.toInt
  }

  private def two(n: Int): String = if (n < 10) s"0$n" else n.toString
}
