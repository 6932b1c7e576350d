package needletail.io

/** Sizes of output that hardly occur. */
class ConnectionOutputSuite extends LoopSuite {

  /** What is pending after a write of both, of which the kernel takes `taken` bytes. */
  private def pendingAfter(taken: Int, firstCount: Int, count: Int): Int = withLoop { loop =>
    on(loop) {
      val socket = new StubSocket {
        override def writeBoth(
            first: Array[Byte],
            firstCount: Int,
            bytes: Array[Byte],
            from: Int,
            count: Int
        ) =
          taken
      }
      val output = new ConnectionOutput(new Connection(loop, socket, ConnectionOptions()))
      try {
        output.writeBoth(new Array[Byte](100), firstCount, new Array[Byte](100), 0, count, mayKeep = true)
        output.pendingBytes
      } finally output.close()
    }
  }

  test("what is left of two arrays is pending, also where their sizes add up to more than an Int can hold") {
    assertEquals(pendingAfter(5, 10, 90), 95)
    assertEquals(pendingAfter(10, 10, 90), 90)
    assertEquals(pendingAfter(100, 10, 90), 0)
    assertEquals(pendingAfter(20, 10, Int.MaxValue), Int.MaxValue - 10)
    assertEquals(pendingAfter(10, 10, Int.MaxValue), Int.MaxValue)
    // more cannot be pending: that fails, and is not left out
    intercept[ArithmeticException](pendingAfter(9, 10, Int.MaxValue))
  }
}
