package needletail.content.security

import needletail.testing.Suite

class CookieSecretsSuite extends Suite {
  private def key(n: Int) = Array.fill[Byte](32)(n.toByte)
  private val secrets     = new CookieSecrets(List(key(1)))

  test("a signed value is verified under its own name only, and cannot be changed") {
    val text = secrets.sign("user", "ann=1; ä")
    assert(text.forall(c => c.isLetterOrDigit || "-_.".contains(c)), text)
    assertEquals(secrets.verify("user", text), Some("ann=1; ä"))
    assertEquals(secrets.verify("other", text), None)
    for (bad <- Seq("", ".", "a.b", "x" + text, text + "A", text.drop(4), text.reverse))
      assertEquals(secrets.verify("user", bad), None, bad)
  }

  test("an encrypted value differs each time, and cannot be changed or moved") {
    val a = secrets.encrypt("user", "ann")
    val b = secrets.encrypt("user", "ann")
    assert(a != b)
    for (text <- Seq(a, b)) assertEquals(secrets.decrypt("user", text), Some("ann"))
    assertEquals(secrets.decrypt("other", a), None)
    for (bad <- Seq("", "!", "AAAA", "A" * 24, a.dropRight(2), "A" + a.tail.reverse))
      assertEquals(secrets.decrypt("user", bad), None, bad)
  }

  test("of the texts that decode to the same bytes, only the one that was made is valid") {
    val signed    = secrets.sign("user", "ann!") // four bytes, so that the last character has bits to spare
    val encrypted = secrets.encrypt("user", "ann!")
    def others(text: String) = {
      val last = text.last
      val same = (('A' to 'Z') ++ ('a' to 'z') ++ ('0' to '9') ++ "-_").map(text.init + _).filter { other =>
        other != text && java.util.Arrays.equals(bytes(other), bytes(text))
      }
      assert(same.nonEmpty, last)
      same :+ text + "=" * (-text.length & 3)
    }
    def bytes(text: String) = java.util.Base64.getUrlDecoder.decode(text)
    val (value, code)       = (signed.takeWhile(_ != '.'), signed.dropWhile(_ != '.').drop(1))
    for (other <- others(value)) assertEquals(secrets.verify("user", s"$other.$code"), None, other)
    for (other <- others(code)) assertEquals(secrets.verify("user", s"$value.$other"), None, other)
    for (other <- others(encrypted)) assertEquals(secrets.decrypt("user", other), None, other)
    assertEquals(secrets.verify("user", signed), Some("ann!"))
    assertEquals(secrets.decrypt("user", encrypted), Some("ann!"))
  }

  test("bytes that are not UTF-8 are not the value that they would be read as") {
    val code  = secrets.sign("user", "\uFFFD").dropWhile(_ != '.').drop(1)
    val other = java.util.Base64.getUrlEncoder.withoutPadding.encodeToString(Array[Byte](-1))
    assertEquals(secrets.verify("user", s"$other.$code"), None)
  }

  test("what another platform has made") {
    assertEquals(secrets.sign("user", "ann"), "YW5u.-2fIi_GhRtWBoVrYfCUVf2UntzlsrvuZPUItDvixrns")
    assertEquals(secrets.decrypt("user", "AAECAwQFBgcICQoL39nmMcfS9zhFMBj8wuvWvlpEYQ"), Some("ann"))
  }

  test("a new key signs, an old one still verifies") {
    val renewed = new CookieSecrets(List(key(2), key(1)))
    assertEquals(renewed.verify("n", secrets.sign("n", "v")), Some("v"))
    assertEquals(renewed.decrypt("n", secrets.encrypt("n", "v")), Some("v"))
    assertEquals(secrets.verify("n", renewed.sign("n", "v")), None)
    intercept[IllegalArgumentException](new CookieSecrets(List(new Array[Byte](31))))
  }

  test("every byte of a signature counts, and its length") {
    val text                        = secrets.sign("user", "ann")
    val (value, after)              = text.splitAt(text.indexOf('.') + 1)
    val code                        = java.util.Base64.getUrlDecoder.decode(after)
    def verified(code: Array[Byte]) =
      secrets.verify("user", value + java.util.Base64.getUrlEncoder.withoutPadding.encodeToString(code))
    assertEquals(verified(code), Some("ann"))
    for (i <- code.indices; bit <- Seq(1, 128)) {
      val other = code.clone()
      other(i) = (other(i) ^ bit).toByte
      assertEquals(verified(other), None, i)
    }
    for (length <- 0 until code.length) assertEquals(verified(code.take(length)), None, length)
    assertEquals(verified(code ++ code), None)
    assertEquals(verified(code :+ code(0)), None)
  }
}
