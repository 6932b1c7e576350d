package needletail.server.tcp

/** Times in UTC to the minute, in the form of ISO 8601: `2026-11-27T05:31Z`. `java.time` is not there natively. */
private[tcp] object MinuteText {

  /** @param millis since 1970 */
  def of(millis: Long): String = {
    val minutes            = Math.floorDiv(millis, 60000L)
    val (year, month, day) = date(Math.floorDiv(minutes, 1440L))
    val minute             = Math.floorMod(minutes, 1440L).toInt
    f"$year%04d-$month%02d-$day%02dT${minute / 60}%02d:${minute % 60}%02dZ"
  }

  /** @param days since 1970 */
  private def date(days: Long): (Long, Int, Int) = {
    val since  = days + 719468 // since 0000-03-01: years begin in March, so that leap days are last
    val era    = Math.floorDiv(since, 146097L)
    val ofEra  = Math.floorMod(since, 146097L)
    val year   = (ofEra - ofEra / 1460 + ofEra / 36524 - ofEra / 146096) / 365
    val ofYear = (ofEra - (365 * year + year / 4 - year / 100)).toInt
    val month  = (5 * ofYear + 2) / 153
    val day    = ofYear - (153 * month + 2) / 5 + 1
    (year + 400 * era + (if (month >= 10) 1 else 0), if (month < 10) month + 3 else month - 9, day)
  }
}
