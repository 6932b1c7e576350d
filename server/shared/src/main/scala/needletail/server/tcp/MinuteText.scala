package needletail.server.tcp

import needletail.http.text.CivilDate

/** Times in UTC to the minute, in the form of ISO 8601: `2026-11-27T05:31Z`. */
private[tcp] object MinuteText {

  /** @param millis since 1970 */
  def of(millis: Long): String = {
    val minutes = Math.floorDiv(millis, 60000L)
    val date    = CivilDate.of(Math.floorDiv(minutes, 1440L))
    val minute  = Math.floorMod(minutes, 1440L).toInt
    f"${date.year}%04d-${date.month}%02d-${date.day}%02dT${minute / 60}%02d:${minute % 60}%02dZ"
  }
}
