package needletail.http.text

/** A day of the proleptic Gregorian calendar: `month` and `day` count from 1. Natively there is no `java.time`. */
private[needletail] final class CivilDate private (val year: Long, val month: Int, val day: Int)

private[needletail] object CivilDate {

  /** @param days since 1 January 1970 */
  def of(days: Long): CivilDate = {
    // Years begin in March, so that the leap day is the last of a year; an era has 400 years
    val shifted = days + 719468
    val era     = Math.floorDiv(shifted, 146097L)
    val ofEra   = Math.floorMod(shifted, 146097L)
    val yearOf  = (ofEra - ofEra / 1460 + ofEra / 36524 - ofEra / 146096) / 365
    val ofYear  = (ofEra - (365 * yearOf + yearOf / 4 - yearOf / 100)).toInt
    val fromMar = (5 * ofYear + 2) / 153
    val month   = if (fromMar < 10) fromMar + 3 else fromMar - 9
    val year    = yearOf + era * 400 + (if (month < 3) 1 else 0)
    new CivilDate(year, month, ofYear - (153 * fromMar + 2) / 5 + 1)
  }
}
