package needletail.http

/** HTTP's time stamps (RFC 9110 §5.6.7), by arithmetic of our own: no time zones, no locale, on any platform. */
object HttpDate {
  private val days   = Array("Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed") // 1 January 1970 was a Thursday
  private val months = Array("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

  /** `Sun, 06 Nov 1994 08:49:37 GMT`: seconds since 1970 as an IMF-fixdate; years 1 to 9999. */
  def format(epochSecond: Long): String = {
    val day  = Math.floorDiv(epochSecond, 86400L)
    val time = Math.floorMod(epochSecond, 86400L).toInt
    // Days to a civil date: years begin in March, so that the leap day is a year's last; eras have 400 years
    val shifted = day + 719468
    val era     = Math.floorDiv(shifted, 146097L)
    val ofEra   = Math.floorMod(shifted, 146097L)
    val yearOf  = (ofEra - ofEra / 1460 + ofEra / 36524 - ofEra / 146096) / 365
    val ofYear  = (ofEra - (365 * yearOf + yearOf / 4 - yearOf / 100)).toInt
    val fromMar = (5 * ofYear + 2) / 153
    val date    = ofYear - (153 * fromMar + 2) / 5 + 1
    val month   = if (fromMar < 10) fromMar + 2 else fromMar - 10
    val year    = yearOf + era * 400 + (if (month < 2) 1 else 0)
    if (year < 1 || year > 9999) throw new IllegalArgumentException(s"no HTTP date: $epochSecond")
    val s = new java.lang.StringBuilder(29)
    s.append(days(Math.floorMod(day, 7L).toInt)).append(", ")
    two(s, date).append(' ').append(months(month)).append(' ')
    two(s, (year / 100).toInt)
    two(s, (year % 100).toInt).append(' ')
    two(s, time / 3600).append(':')
    two(s, time / 60 % 60).append(':')
    two(s, time % 60).append(" GMT").toString
  }

  private def two(s: java.lang.StringBuilder, n: Int): java.lang.StringBuilder =
    s.append(('0' + n / 10).toChar).append(('0' + n % 10).toChar)
}
