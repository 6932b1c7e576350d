package needletail.server

import needletail.testing.Suite

class LatenciesSuite extends Suite {
  test("how long things took falls into buckets that double") {
    val all = new Latencies
    List(0L, 65535L, 65536L, 131071L, 131072L, Long.MaxValue).foreach(all.record(_, 1))
    assertEquals(all.counts.take(3).toList, List(2L, 2L, 1L))
    assertEquals((all.counts.last, all.total), (1L, 6L))
    assertEquals(Latencies.bound(0), 65536 / 1e9)
  }
}
