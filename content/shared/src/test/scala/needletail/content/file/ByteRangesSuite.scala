package needletail.content.file

import needletail.testing.Suite

class ByteRangesSuite extends Suite {
  import ByteRanges._

  private def check(value: String, expected: ByteRanges, size: Long = 1000, most: Int = 3): Unit =
    assertEquals(ByteRanges.parse(value, size, most): ByteRanges, expected, value)

  test("one range, from the front and from the end (RFC 9110 §14.1.2)") {
    check("bytes=0-499", Parts(List((0L, 500L))))
    check("bytes=500-", Parts(List((500L, 1000L))))
    check("bytes=-200", Parts(List((800L, 1000L))))
    check("bytes=-2000", Parts(List((0L, 1000L))))
    check("Bytes=999-5000", Parts(List((999L, 1000L))))
    check("bytes=0-99999999999999999999999", Parts(List((0L, 1000L))))
    check("bytes=0-18446744073709551616", Parts(List((0L, 1000L)))) // 2^64
  }

  test("what does not exist is unsatisfiable, as long as nothing else does") {
    check("bytes=1000-", Unsatisfiable)
    check("bytes=99999999999999999999999-", Unsatisfiable)
    check("bytes=18446744073709551616-", Unsatisfiable)
    check("bytes=-0", Unsatisfiable)
    check("bytes=0-", Unsatisfiable, size = 0)
    check("bytes=-5", Unsatisfiable, size = 0)
    check("bytes=1000-,0-0", Parts(List((0L, 1L))))
  }

  test("a field that is malformed, or of another unit, is ignored") {
    for (
      value <- Seq(
        "bytes",
        "bytes=",
        "bytes=a-b",
        "bytes=5-4",
        "bytes=-",
        "bytes=1",
        "lines=1-2",
        "bytes=1-2x",
        "bytes=+1-2"
      )
    )
      check(value, Whole)
  }

  test(
    "several keep their order; those that overlap or touch are merged, and too many are not sent in parts"
  ) {
    check("bytes=500-599, 0-99", Parts(List((500L, 600L), (0L, 100L))))
    check("bytes=500-599,0-99,50-149", Parts(List((0L, 150L), (500L, 600L))))
    check("bytes=0-499,100-199", Parts(List((0L, 500L))))
    check("bytes=" + Seq.fill(256)("0-").mkString(","), Parts(List((0L, 1000L))))
    check("bytes=" + Seq.fill(257)("0-").mkString(","), Whole)
    check("bytes=0-0,1-1,2-2,3-3", Parts(List((0L, 4L))))
    check("bytes=0-0,2-2,4-4,6-6", Whole)
    check("bytes=" + (0 to 300).map(n => s"$n-$n").mkString(","), Whole)
    check("bytes=" + Seq.fill(200)("0-").mkString(","), Parts(List((0L, 1000L))))
  }
}
