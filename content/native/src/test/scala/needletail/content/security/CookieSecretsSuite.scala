package needletail.content.security

import needletail.testing.Suite

class CookieSecretsSuite extends Suite {
  test("without cryptography there is a clear error") {
    val secrets = new CookieSecrets(List(new Array[Byte](32)))
    val failure = intercept[UnsupportedOperationException](secrets.sign("a", "b"))
    assert(failure.getMessage.contains("JVM only"), failure)
  }
}
