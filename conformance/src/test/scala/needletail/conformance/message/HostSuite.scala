package needletail.conformance.message

import needletail.conformance.client.Reply
import needletail.conformance.harness.{ByteClass, ConformanceSuite, MAY, MUST}
import needletail.conformance.harness.Message.head
import needletail.conformance.harness.Outcome._

// A row of a table is a line.
// format: off

/** RFC 9112 §3.2 and RFC 9110 §7.2. */
class HostSuite extends ConformanceSuite {
  private val bad = status(400)

  private def host(value: String): String = head("GET /plaintext HTTP/1.1", s"Host: $value")

  table("Host")(
    MUST("9112 §3.2", "missing", head("GET /plaintext HTTP/1.1"), bad),
    MUST("9112 §3.2", "missing among others", head("GET /plaintext HTTP/1.1", "X: a", "Accept: */*"), bad),
    MUST("9112 §3.2", "twice", head("GET /plaintext HTTP/1.1", "Host: a", "Host: b"), bad),
    MUST("9112 §3.2", "twice the same", head("GET /plaintext HTTP/1.1", "Host: a", "Host: a"), bad),
    MUST("9112 §3.2", "twice, in different case, apart", head("GET /plaintext HTTP/1.1", "Host: a", "X: y", "hOST: a"), bad),
    MUST("9112 §3.2", "twice in 1.0", head("GET /plaintext HTTP/1.0", "Host: a", "Host: b"), bad.thenClosed),
    MUST("9112 §3.2", "not needed in 1.0", head("GET /plaintext HTTP/1.0"), hello.thenClosed),
    MUST("9110 §5.1", "a longer name is another name", head("GET /plaintext HTTP/1.1", "HostX: a"), bad),
    MUST("9110 §5.1", "a shorter name is another name", head("GET /plaintext HTTP/1.1", "Hos: a"), bad),
    MUST("9110 §5.1", "in upper case", head("GET /plaintext HTTP/1.1", "HOST: a"), hello),
    MUST("9110 §5.5", "white space around the value", head("GET /plaintext HTTP/1.1", "Host: \t a \t"), hello),
    MUST("9110 §5.5", "no white space", head("GET /plaintext HTTP/1.1", "Host:a"), hello),
    MUST("9112 §3.2", "last of many", head("GET /plaintext HTTP/1.1", "A: 1", "B: 2", "C: 3", "Host: a"), hello),
    MUST("9112 §3.2", "missing in POST", head("POST /echo HTTP/1.1", "Content-Length: 5") + "hello", bad),
    MUST("9112 §3.2", "missing in HEAD", head("HEAD /plaintext HTTP/1.1"), bad)
  )

  table("valid hosts")(
    Seq(
      "a", "a.example", "A.EXAMPLE", "a-b_c~d", "127.0.0.1", "127.0.0.1:80", "a:0", "a:65535", "[::1]",
      "[::1]:8080", "[2001:db8::1.2.3.4]", "a!$&'()*+,;=b", "a%41b", "xn--bcher-kva.example", "1", "a."
    ).map(value => MUST("9112 §3.2", value, host(value), hello)): _*
  )

  table("invalid hosts")(
    Seq(
      "a b", "a\tb", "a/b", "/", "u@a", "a?b", "a#b", "a:b", "a:80:80", "a:-1", "a:+80", "http://a", "::1",
      "[::1", "::1]", "[]", "[zz]", "[::1]x", "[::1]:x", "[[::1]]", "a[", "a]", "a\\b", "a<b", "a>b", "a\"b",
      "a^b", "a`b", "a{b", "a|b", "a}b", "a%zzb", "a%4", "\u00e9", "a, b", "a:80, b:80"
    ).map(value => MUST("9112 §3.2", Reply.visible(value), host(value), bad)): _*
  )

  table("doubtful hosts")(
    MAY("9110 §7.2", "empty", head("GET /plaintext HTTP/1.1", "Host:"), hello, bad),
    MAY("9110 §7.2", "empty, with a port", host(":80"), hello, bad),
    MAY("3986 §3.2.3", "an empty port", host("a:"), hello, bad),
    MAY("3986 §3.2.3", "a port of more than 16 bits", host("a:99999"), hello, bad),
    MAY("3986 §3.2.2", "a future address", host("[v1.fe]"), hello, bad),
    MAY("3986 §3.2.2", "a long name", host("a" * 3000), hello, bad)
  )

  bytes(MUST, "9112 §3.2, 3986 §3.2.2", "in Host", "GET /plaintext HTTP/1.1\r\nHost: a", _ => "z\r\n\r\n") {
    case byte if ByteClass.isUnreserved(byte) || ByteClass.isSubDelimiter(byte) => Seq(hello)
    case _                                                                 => Seq(bad)
  }
}
