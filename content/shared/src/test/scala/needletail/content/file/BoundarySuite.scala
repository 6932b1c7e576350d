package needletail.content.file

import needletail.testing.Suite

class BoundarySuite extends Suite {
  test("a boundary has 128 bits from the system, in hexadecimal digits, and is never the same") {
    val all = List.fill(1000)(Boundary.fresh())
    all.foreach(b => assert(b.matches("needletail-[0-9a-f]{32}"), b))
    assertEquals(all.distinct.length, 1000)
    // each of the digits varies
    for (i <- 11 until 43) assert(all.map(_.charAt(i)).distinct.length == 16, i)
  }

  test("a part of a boundary does not tell the rest, as with a linear congruential generator") {
    val step                   = (state: Long) => (state * 0x5deece66dL + 0xb) & ((1L << 48) - 1)
    def upper(long: Long): Int = ((long - long.toInt) >>> 32).toInt
    def isTold(first: Long, second: Long): Boolean =
      (0 until 1 << 16).exists { low =>
        val next = step((upper(first) & 0xffffffffL) << 16 | low)
        (next >>> 16).toInt == first.toInt && (step(next) >>> 16).toInt == upper(second)
      }
    val random = new java.util.Random(1)
    assert(isTold(random.nextLong(), random.nextLong()), "the test itself")
    for (_ <- 1 to 5) {
      val digits             = Boundary.fresh().stripPrefix("needletail-")
      def long(text: String) = java.lang.Long.parseUnsignedLong(text, 16)
      assert(!isTold(long(digits.take(16)), long(digits.drop(16))), digits)
    }
  }
}
