package needletail.http.text

import needletail.testing.Suite

class SwarSuite extends Suite {
  private def word(rawBytes: Int*): Long = Swar.load(rawBytes.map(_.toByte).toArray, 0)

  private def set(of: Int => Boolean, rawBytes: Int*): Long =
    rawBytes.zipWithIndex.map { case (byte, i) => if (of(byte)) 0x80L << (8 * i) else 0L }.foldLeft(0L)(_ | _)

  private def all(name: String, found: Long => Long, of: Int => Boolean): Unit =
    test(s"$name are found at each place, beside each byte") {
      for (byte <- 0 to 255; beside <- Seq(0, 0x20, 'a'.toInt, 0x7f, 0x80, 0xff); place <- 0 to 7) {
        val rawBytes = Seq.fill(8)(beside).updated(place, byte)
        assertEquals(found(word(rawBytes*)), set(of, rawBytes*), s"byte $byte at $place beside $beside")
      }
    }

  all("letters", Swar.letters, c => (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
  all("digits and slash", Swar.digitsAndSlash, c => c >= '/' && c <= '9')
  all("hyphens", Swar.hyphens, _ == '-')
  all("others", word => Swar.others(Swar.letters(word)), c => !((c | 0x20) >= 'a' && (c | 0x20) <= 'z'))

  test("a byte is found where it is first, between the bounds, up to the end of the array") {
    for (size <- 0 to 20; from <- 0 to size; until <- from to size; at <- 0 until size) {
      val bytes = Array.fill(size)('b'.toByte)
      bytes(at) = 'a'
      if (at + 1 < size) bytes(at + 1) = 'a'
      val expected = (from until until).find(bytes(_) == 'a').getOrElse(until)
      assertEquals(Swar.indexOf(bytes, 'a', from, until), expected, s"$size $from $until $at")
    }
    val all = Array.tabulate(256)(_.toByte)
    for (byte <- 0 to 127) assertEquals(Swar.indexOf(all, byte, 0, 256), byte)
  }

  test("a part of a word is loaded without what lies behind it, also at the end of the array") {
    val bytes = Array.tabulate(11)(i => (i + 0xf5).toByte)
    for (at <- 0 to 10; count <- 1 to Math.min(8, 11 - at)) {
      val expected = (0 until count).map(i => (bytes(at + i) & 0xffL) << (8 * i)).foldLeft(0L)(_ | _)
      assertEquals(Swar.load(bytes, at, count), expected)
    }
  }

  test("bytes are copied, none too") {
    val source = Array.tabulate(20)(_.toByte)
    for (count <- 0 to 20; from <- 0 to 20 - count) {
      val target = new Array[Byte](20)
      Swar.copy(source, from, target, 20 - count, count)
      assertEquals(target.toSeq, Seq.fill(20 - count)(0.toByte) ++ source.slice(from, from + count).toSeq)
    }
  }

  test("all bytes of an array are copied, none too") {
    for (count <- 0 to 20; at <- 0 to 20 - count) {
      val source = Array.tabulate(count)(i => (i + 1).toByte)
      val target = new Array[Byte](20)
      Swar.copyAll(source, target, at)
      assertEquals(
        target.toSeq,
        Seq.fill(at)(0.toByte) ++ source.toSeq ++ Seq.fill(20 - count - at)(0.toByte)
      )
    }
  }
}
