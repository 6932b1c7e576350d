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
}
