package needletail.http.text

import needletail.testing.Suite

class OriginSuite extends Suite {
  test(
    "an origin is of the host and port of an authority, where the scheme's port may be left out on either side"
  ) {
    val same = Seq(
      "https://a.example"      -> "a.example",
      "https://a.example"      -> "a.example:443",
      "https://a.example:443"  -> "a.example",
      "https://A.example"      -> "a.EXAMPLE",
      "HTTPS://a.example"      -> "a.example",
      "http://a.example"       -> "a.example:80",
      "http://a.example:8080"  -> "a.example:8080",
      "https://a.example:8443" -> "a.example:8443",
      "http://[::1]"           -> "[::1]:80",
      "http://[::1]:8080"      -> "[::1]:8080"
    )
    for ((origin, authority) <- same) {
      assert(Origin.isOf(origin, authority), (origin, authority))
      assert(!Origin.isOfOtherPort(origin, authority), (origin, authority))
    }
  }

  test("it is not of another host, another scheme's port, or another scheme") {
    val other = Seq(
      "https://a.example"         -> "b.example",
      "https://a.example"         -> "x.a.example",
      "https://x.a.example"       -> "a.example",
      "https://a.example.evil"    -> "a.example",
      "https://evil/a.example"    -> "a.example",
      "https://a.example/"        -> "a.example",
      "ftp://a.example"           -> "a.example",
      "app://a.example"           -> "a.example",
      "://a.example"              -> "a.example",
      "a.example"                 -> "a.example",
      "null"                      -> "a.example",
      "null"                      -> "null",
      ""                          -> "",
      "chrome-extension://abcdef" -> "abcdef"
    )
    for ((origin, authority) <- other) {
      assert(!Origin.isOf(origin, authority), (origin, authority))
      assert(!Origin.isOfOtherPort(origin, authority), (origin, authority))
    }
  }

  test("of the same host and another port is neither") {
    val ports = Seq(
      "https://a.example"      -> "a.example:80",
      "http://a.example"       -> "a.example:443",
      "https://a.example:8443" -> "a.example",
      "http://a.example"       -> "a.example:8080",
      "http://[::1]:8080"      -> "[::1]",
      "http://[::1]"           -> "[::1]:8080"
    )
    for ((origin, authority) <- ports) {
      assert(!Origin.isOf(origin, authority), (origin, authority))
      assert(Origin.isOfOtherPort(origin, authority), (origin, authority))
    }
    assert(!Origin.isOfOtherPort("http://[::1]:80", "[::2]:80"), "an address has colons of its own")
    assert(!Origin.isOfOtherPort("http://[::1]", "[::2]"), "an address has colons of its own")
  }

  test("what a setting may be") {
    for (right <- Seq("null", "https://a.example", "http://a.example:8080", "http://[::1]:1", "app://x"))
      assert(Origin.isValid(right), right)
    for (
      wrong <- Seq(
        "",
        "a.example",
        "://a",
        "https://",
        "https://a/",
        "https://a/b",
        "https://a?b",
        "https://a#b",
        "https://u@a",
        "https://*.a",
        "https://a,https://b",
        "https://a:443",
        "http://a:80",
        "https://A",
        "https://a b"
      )
    ) assert(!Origin.isValid(wrong), wrong)
  }
}
