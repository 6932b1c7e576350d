package needletail.server.operations

import needletail.testing.Suite

class StatusCountsSuite extends Suite {
  test("each status is counted by itself, and a copy stays as it is") {
    val counts = new StatusCounts
    for (status <- 100 to 599; n <- 1 to status % 3) counts.add(status, n.toLong)
    counts.add(404, 7)
    val expected = (100 to 599).map(s => s -> Seq(0L, 1L, 3L)(s % 3)).collect {
      case (404, n)         => 404 -> (n + 7)
      case (s, n) if n != 0 => s   -> n
    }
    assertEquals(counts.all, expected: Seq[(Int, Long)])
    assertEquals((counts.of(404), counts.of(405)), (10L, 0L))
    val copy = counts.copy()
    counts.add(200, 1)
    assertEquals(copy.all, expected: Seq[(Int, Long)])
    copy.add(counts)
    assertEquals(copy.of(200), 2 * counts.of(200) - 1)
  }
}
