package needletail.http.text

class HttpDateSuite extends needletail.testing.Suite {
  private val known = List(
    "Thu, 01 Jan 1970 00:00:00 GMT" -> 0L,
    "Sun, 06 Nov 1994 08:49:37 GMT" -> 784111777L,
    "Tue, 29 Feb 2000 23:59:59 GMT" -> 951868799L,
    "Wed, 01 Mar 2000 00:00:00 GMT" -> 951868800L,
    "Thu, 29 Feb 2024 12:00:00 GMT" -> 1709208000L,
    "Tue, 31 Dec 2024 23:59:59 GMT" -> 1735689599L,
    "Wed, 31 Dec 1969 23:59:59 GMT" -> -1L,
    "Thu, 01 Mar 1900 00:00:00 GMT" -> -2203891200L,
    "Thu, 01 Jan 1970 00:00:01 GMT" -> 1L,
    "Fri, 31 Dec 9999 23:59:59 GMT" -> 253402300799L
  )

  test("dates and their seconds, both ways") {
    known.foreach { case (text, second) =>
      assertEquals(HttpDate.format(second), text)
      assertEquals(HttpDate.parse(text), Some(second))
    }
  }

  test("every day of four centuries, both ways, the days of the week in turn") {
    val week = "Mon Tue Wed Thu Fri Sat Sun".split(' ')
    var day  = -135140L // 1 January 1600, a Saturday
    while (day < 146097L - 135140L) {
      val text = HttpDate.format(day * 86400 + 3723)
      if (
        !HttpDate.parse(text).contains(day * 86400 + 3723) || !text.startsWith(week(Math.floorMod(
          day + 3,
          7L
        ).toInt))
      ) fail(text)
      day += 1
    }
  }

  test("the two obsolete forms are read") {
    assertEquals(HttpDate.parse("Sunday, 06-Nov-94 08:49:37 GMT"), Some(784111777L))
    assertEquals(HttpDate.parse("Sun Nov  6 08:49:37 1994"), Some(784111777L))
    assertEquals(HttpDate.parse("Wed Nov 16 08:49:37 1994"), Some(784111777L + 10 * 86400))
    // Two digits of a year: not more than fifty years from now
    assert(HttpDate.parse("Monday, 01-Jan-24 00:00:00 GMT").exists(_ > 1700000000L))
  }

  test("anything else is no date") {
    List(
      "",
      "now",
      "Sun, 06 Nov 1994 08:49:37",
      "Sun, 06 Nov 1994 08:49:37 UTC",
      "Sun, 6 Nov 1994 08:49:37 GMT",
      "sun, 06 Nov 1994 08:49:37 GMT",
      "Sun, 31 Feb 1994 08:49:37 GMT",
      "Sun, 29 Feb 1900 08:49:37 GMT",
      "Sun, 00 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 24:00:00 GMT",
      "Sun, 06 Nov 1994 08:60:00 GMT",
      "Sun, 06 Nov 1994 08:49:61 GMT",
      "Sun, 06 Nov 19x4 08:49:37 GMT",
      "Sun, 06 Nov 1994 08-49-37 GMT",
      "Sun,06 Nov 1994 08:49:37 GMT ",
      "Sunday, 06 Nov 94 08:49:37 GMT",
      "Xxx, 06 Nov 1994 08:49:37 GMT",
      "Sun, 06 Xxx 1994 08:49:37 GMT",
      "Sun Nov 06 08:49:37 GMT1",
      "Sun Nov  x 08:49:37 1994",
      "784111777",
      "\u0000" * 29
    ).foreach(text => assertEquals(HttpDate.parse(text), None, clue(text)))
  }
}
