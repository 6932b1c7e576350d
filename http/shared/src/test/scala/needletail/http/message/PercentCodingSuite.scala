package needletail.http.message

class PercentCodingSuite extends needletail.testing.Suite {
  test("decoding") {
    List(
      ""             -> "",
      "abc"          -> "abc",
      "a%20b"        -> "a b",
      "%41%7a"       -> "Az",
      "a+b"          -> "a+b",
      "%2B"          -> "+",
      "%2f"          -> "/",
      "%25"          -> "%",
      "%C3%A9"       -> "\u00e9",
      "%e2%82%ac"    -> "\u20ac",
      "%F0%9F%90%A6" -> "\ud83d\udc26",
      "%00"          -> "\u0000",
      "\u00e9%20"    -> "\u00e9 "
    ).foreach { case (text, decoded) => assertEquals(PercentCoding.decode(text), Right(decoded), clue(text)) }
    assertEquals(PercentCoding.decodeForm("a+b%2Bc"), Right("a b+c"))
  }

  test("malformed escapes, and bytes that are not UTF-8, are a 400") {
    List(
      "%",
      "%4",
      "a%",
      "%zz",
      "%4z",
      "%-1",
      "%+1",
      "%\u0664\u0661",
      "%ff",
      "%80",
      "%c3",
      "%c3a",
      "%c3%28",
      "%c0%80",
      "%c1%bf",
      "%e0%80%80",
      "%ed%a0%80",
      "%f0%80%80%80",
      "%f4%90%80%80",
      "%f5%80%80%80",
      "%e2%82",
      "%e2%28%a1"
    ).foreach { text =>
      assertEquals(PercentCoding.decode(text).left.map(_.status), Left(Status.BadRequest), clue(text))
      assertEquals(PercentCoding.decodeForm(text).left.map(_.status), Left(Status.BadRequest), clue(text))
    }
  }

  test("encoding, and back") {
    assertEquals(PercentCoding.encode("azAZ09-._~"), "azAZ09-._~")
    assertEquals(PercentCoding.encode("a b/c+d?\u00e9"), "a%20b%2Fc%2Bd%3F%C3%A9")
    val every = (0 to 0xd7ff).map(_.toChar).mkString
    assertEquals(PercentCoding.decode(PercentCoding.encode(every)), Right(every))
  }

  test("UTF-8 is judged as the platform's own decoder judges it") {
    // A third of the sequences of two bytes, and some of three with a lead of three
    val two = new Array[Byte](2)
    (0 to 0xffff by 3).foreach { n =>
      two(0) = (n >> 8).toByte
      two(1) = n.toByte
      val text  = new String(two, "UTF-8")
      val valid = java.util.Arrays.equals(text.getBytes("UTF-8"), two)
      if (Utf8.isValid(two, 0, 2) != valid) fail(s"$n")
    }
    val three = new Array[Byte](3)
    (0xe0 to 0xef).foreach { lead =>
      (0 to 0xffff by 61).foreach { n =>
        three(0) = lead.toByte
        three(1) = (n >> 8).toByte
        three(2) = n.toByte
        val valid = java.util.Arrays.equals(new String(three, "UTF-8").getBytes("UTF-8"), three)
        if (Utf8.isValid(three, 0, 3) != valid) fail(s"$lead $n")
      }
    }
  }
}
