package needletail.server.tcp

import needletail.http.text.CivilDate

/** Times in UTC to the minute, in the form of ISO 8601: `2026-11-27T05:31Z`. */
private[tcp] object MinuteText {

  /** @param millis since 1970 */
  def of(millis: Long): String = {
    val minutes = Math.floorDiv(millis, 60000L)
    val date    = CivilDate.of(Math.floorDiv(minutes, 1440L))
    val minute  = Math.floorMod(minutes, 1440L).toInt
    s"${digits(date.year, 4)}-${digits(date.month.toLong, 2)}-${digits(date.day.toLong, 2)}T" +
      s"${digits(minute / 60L, 2)}:${digits(minute % 60L, 2)}Z"
  }

  /** Not by a format, which would use the digits of the default locale. */
  private def digits(n: Long, count: Int): String = {
    val text = n.toString
    "0" * (count - text.length) + text
  }
}
