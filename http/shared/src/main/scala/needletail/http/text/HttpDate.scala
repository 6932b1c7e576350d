package needletail.http.text

/** Formats and parses HTTP dates (RFC 9110 §5.6.7), without time zones or locales of the platform. */
object HttpDate {
  private val days   = Array("Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed") // 1 January 1970 was a Thursday
  private val months =
    Array("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

  private val longDays = Array("Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday")
  private val Invalid  = Long.MinValue

  /** Formats seconds since 1970 as an IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT`, for the years 1 to 9999. */
  def format(epochSecond: Long): String = {
    val day  = Math.floorDiv(epochSecond, 86400L)
    val time = Math.floorMod(epochSecond, 86400L).toInt
    val date = CivilDate.of(day)
    val year = date.year
    if (year < 1 || year > 9999)
      throw new IllegalArgumentException(s"cannot be written as an HTTP date: $epochSecond")
    val s = new java.lang.StringBuilder(29)
    s.append(days(Math.floorMod(day, 7L).toInt)).append(", ")
    two(s, date.day).append(' ').append(months(date.month - 1)).append(' ')
    two(s, (year / 100).toInt)
    two(s, (year % 100).toInt).append(' ')
    two(s, time / 3600).append(':')
    two(s, time / 60 % 60).append(':')
    two(s, time % 60).append(" GMT").toString
  }

  /**
   * Parses a date in any of the three forms that a recipient must accept: IMF-fixdate, RFC 850 and asctime. Returns
   * seconds since 1970, or None if malformed. The day of the week is not checked against the date.
   */
  def parse(text: String): Option[Long] = {
    val comma  = text.indexOf(',')
    val second =
      if (comma == 3 && text.length == 29 && days.contains(text.substring(0, 3)) && text.endsWith(" GMT"))
        // Sun, 06 Nov 1994 08:49:37 GMT
        if (
          text.charAt(4) == ' ' && text.charAt(7) == ' ' && text.charAt(11) == ' ' && text.charAt(16) == ' '
        )
          instant(number(text, 12, 4), text.substring(8, 11), number(text, 5, 2), text, 17)
        else Invalid
      else if (
        comma > 3 && text.length == comma + 24 && longDays.contains(text.substring(
          0,
          comma
        )) && text.endsWith(" GMT")
      )
        // Sunday, 06-Nov-94 08:49:37 GMT
        if (
          text.charAt(comma + 1) == ' ' && text.charAt(comma + 4) == '-' && text.charAt(
            comma + 8
          ) == '-' && text.charAt(comma + 11) == ' '
        )
          shortYear(text, comma)
        else Invalid
      else if (comma < 0 && text.length == 24 && days.contains(text.substring(0, 3)))
        // Sun Nov  6 08:49:37 1994
        if (
          text.charAt(3) == ' ' && text.charAt(7) == ' ' && text.charAt(10) == ' ' && text.charAt(19) == ' '
        )
          instant(
            number(text, 20, 4),
            text.substring(4, 7),
            if (text.charAt(8) == ' ') number(text, 9, 1) else number(text, 8, 2),
            text,
            11
          )
        else Invalid
      else Invalid
    if (second == Invalid) None else Some(second)
  }

  /** A two-digit year is of this century unless that is more than fifty years in the future (RFC 9110 §5.6.7). */
  private def shortYear(text: String, comma: Int): Long = {
    val digits = number(text, comma + 9, 2)
    if (digits < 0) Invalid
    else {
      val thisYear = (1970 + System.currentTimeMillis() / 31556952000L).toInt
      val year     = thisYear - thisYear % 100 + digits
      instant(
        if (year > thisYear + 50) year - 100 else year,
        text.substring(comma + 5, comma + 8),
        number(text, comma + 2, 2),
        text,
        comma + 12
      )
    }
  }

  private def instant(year: Int, monthName: String, day: Int, text: String, timeAt: Int): Long = {
    val month  = months.indexOf(monthName) + 1
    val hour   = number(text, timeAt, 2)
    val minute = number(text, timeAt + 3, 2)
    val second = number(text, timeAt + 6, 2)
    if (
      year < 1 || month < 1 || day < 1 || day > daysOf(
        year,
        month
      ) || hour < 0 || hour > 23 || minute < 0 || minute > 59 ||
      second < 0 || second > 60 || text.charAt(timeAt + 2) != ':' || text.charAt(timeAt + 5) != ':'
    ) Invalid
    else epochDay(year, month, day) * 86400L + hour * 3600 + minute * 60 + second
  }

  /** Days since 1 January 1970: the inverse of what `format` does. */
  private def epochDay(year: Int, month: Int, day: Int): Long = {
    val y     = (if (month <= 2) year - 1 else year).toLong
    val era   = Math.floorDiv(y, 400L)
    val of    = y - era * 400
    val ofMar = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    era * 146097 + of * 365 + of / 4 - of / 100 + ofMar - 719468
  }

  private def daysOf(year: Int, month: Int): Int =
    if (month == 2) if (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)) 29 else 28
    else if (month == 4 || month == 6 || month == 9 || month == 11) 30
    else 31

  /** A number of exactly `count` digits, or -1. */
  private def number(text: String, from: Int, count: Int): Int = {
    var n = 0
    var i = from
    while (i < from + count) {
      val c = text.charAt(i)
      if (c < '0' || c > '9') return -1
      n = n * 10 + (c - '0')
      i += 1
    }
    n
  }

  private def two(s: java.lang.StringBuilder, n: Int): java.lang.StringBuilder =
    s.append(('0' + n / 10).toChar).append(('0' + n % 10).toChar)
}
