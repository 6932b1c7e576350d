package needletail.io.tls

import needletail.testing.Suite

/** Names that a stranger has chosen, in lines of a log. */
class CertificateTextSuite extends Suite {
  private def owner(subject: String, names: String*): String =
    CertificateText.owner("the client", CertificateInfo(subject, names, "CN=Real", "1A2B", 0, 0, ""))

  test("no name pretends to be an issuer") {
    assertEquals(owner("CN=Bob"), "the client (CN=Bob; issuer CN=Real; serial 1A2B)")
    assertEquals(
      owner("", "email:Bob; issuer CN=Staff CA; serial 1@x"),
      "the client (Bob\\; issuer CN=Staff CA\\; serial 1@x; issuer CN=Real; serial 1A2B)"
    )
  }

  test("what does not show is escaped, and no character is cut in two") {
    assertEquals(CertificateText.foreign("a\u200bb\u00adc\nd"), "a\\E2\\80\\8Bb\\C2\\ADc\\0Ad")
    assertEquals(CertificateText.foreign("x" * 99 + "\ud83d\ude00"), "x" * 99 + "…")
    assertEquals(CertificateText.foreign("x" * 98 + "\ud83d\ude00"), "x" * 98 + "\ud83d\ude00")
    assertEquals(CertificateText.foreign(""), "without a name")
  }
}
