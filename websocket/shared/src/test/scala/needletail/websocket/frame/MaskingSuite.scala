package needletail.websocket.frame

import needletail.testing.Suite

class MaskingSuite extends Suite {
  test("masks every length at every phase as RFC 6455 §5.3 defines it") {
    val key   = 0x8091a2b3
    val plain = Array.tabulate(200)(i => (i * 37).toByte)
    for (count <- 0 to 196; done <- 0 to 4; from <- 0 to 3) {
      val target = new Array[Byte](210)
      Masking.copy(plain, from, target, 5, count, Masking.rotated(key, done.toLong))
      val expected =
        (0 until count).map(i => (plain(from + i) ^ (key >>> (8 * ((i + done) % 4)))).toByte)
      assertEquals(target.toList, List.fill(5)(0.toByte) ++ expected ++ List.fill(205 - count)(0.toByte))
      assertEquals(
        Masking.copyOf(plain, from, count, Masking.rotated(key, done.toLong)).toList,
        expected.toList
      )
    }
  }

  test("masks in place") {
    for (count <- 0 to 196) {
      val bytes = Array.tabulate(200)(_.toByte)
      Masking.copy(bytes, 2, bytes, 2, count, 0x8091a2b3)
      val expected = Masking.copyOf(Array.tabulate(200)(_.toByte), 2, count, 0x8091a2b3)
      assertEquals(bytes.slice(2, 2 + count).toList, expected.toList)
    }
  }

  test("refuses what is outside of an array") {
    val some = new Array[Byte](16)
    for ((from, count) <- Seq((0, 17), (9, 8), (-1, 8), (0, -1))) {
      intercept[IndexOutOfBoundsException](Masking.copy(some, from, new Array[Byte](32), 0, count, 1))
      intercept[IndexOutOfBoundsException](Masking.copyOf(some, from, count, 1))
    }
  }
}
