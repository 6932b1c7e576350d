package needletail.server.overload

import needletail.testing.Suite

class DurationSampleSuite extends Suite {
  test("a quarter of those that were added take no longer than it tells, however many they are") {
    for (count <- List(4, 64, 128, 129, 1000, 100000)) {
      val sample = new DurationSample
      for (i <- 0 until count) sample.add(i * 7919L % count) // each below `count`, in another order
      assertEquals(sample.count, count)
      val told = sample.lowestQuarter
      assert(Math.abs(told - count / 4) <= 1 + count / 8, clue = (count, told))
      sample.clear()
      for (_ <- 1 to 4) sample.add(5)
      assertEquals((sample.count, sample.lowestQuarter), (4, 5L))
    }
  }

  test("the least usual one is at least half of that") {
    val sample = new DurationSample
    for (nanos <- List(1L, 1L, 49L, 51L, 60L, 98L, 99L, 100L) ++ List.fill(24)(200L)) sample.add(nanos)
    assertEquals((sample.lowestQuarter, sample.leastUsual), (100L, 51L))
  }

  test("it keeps early and late ones alike") {
    val sample = new DurationSample
    for (i <- 1 to 10000) sample.add(if (i <= 2000) 1 else 2)
    assertEquals(sample.lowestQuarter, 2L)
    sample.clear()
    for (i <- 1 to 10000) sample.add(if (i <= 7000) 2 else 1)
    assertEquals(sample.lowestQuarter, 1L)
  }
}
