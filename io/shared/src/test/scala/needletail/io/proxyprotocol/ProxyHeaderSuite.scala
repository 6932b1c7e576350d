package needletail.io.proxyprotocol

import java.io.IOException

import needletail.testing.Suite

/** The PROXY protocol's headers, whole and byte by byte, with what follows left alone. */
class ProxyHeaderSuite extends Suite {
  private val signature = Array[Byte](13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10)

  private def binary(command: Int, family: Int, content: Int*): Array[Byte] =
    signature ++ Array(
      command,
      family,
      content.length >> 8,
      content.length
    ).map(_.toByte) ++ content.map(_.toByte)

  /** Client and server of a header, and how much of the input was used; read in steps of at most `step` bytes. */
  private def read(input: Array[Byte], step: Int): (String, String, Int) = {
    val (header, used) = parsed(input, step)
    (header.client, header.server, used)
  }

  private def parsed(input: Array[Byte], step: Int): (ProxyHeader, Int) = {
    val header = new ProxyHeader
    var used   = 0
    while (header.wanted > 0) {
      val n = math.min(math.min(header.wanted, step), input.length - used)
      if (n == 0) throw new IOException("incomplete")
      System.arraycopy(input, used, header.bytes, header.position, n)
      used += n
      header.add(n)
    }
    (header, used)
  }

  private def reads(input: Array[Byte], client: String, server: String): Unit =
    for (step <- Seq(1, 5, 1000))
      assertEquals(read(input ++ "GET / HTTP/1.1".getBytes, step), (client, server, input.length))

  private def refuses(input: Array[Byte]): Unit =
    for (step <- Seq(1, 1000)) { intercept[IOException](read(input, step)); () }

  test("version 1") {
    reads("PROXY TCP4 192.0.2.1 198.51.100.2 4711 443\r\n".getBytes, "192.0.2.1:4711", "198.51.100.2:443")
    reads("PROXY TCP6 2001:db8::1 ::1 1 65535\r\n".getBytes, "[2001:db8::1]:1", "[::1]:65535")
    reads("PROXY UNKNOWN\r\n".getBytes, null, null)
    reads("PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n".getBytes, null, null)
  }

  test("version 2") {
    reads(
      binary(0x21, 0x11, 192, 0, 2, 1, 198, 51, 100, 2, 0x12, 0x67, 1, 0xbb),
      "192.0.2.1:4711",
      "198.51.100.2:443"
    )
    val six = Seq(0x20, 1, 0xd, 0xb8) ++ Seq.fill(11)(0) ++ Seq(1)
    reads(
      binary(0x21, 0x21, six ++ six ++ Seq(0, 80, 1, 0xbb, 4, 0, 1, 9): _*),
      "[2001:db8::1]:80",
      "[2001:db8::1]:443"
    )
    reads(binary(0x20, 0), null, null)
    reads(binary(0x21, 0x31, Seq.fill(216)(7): _*), null, null)
  }

  test("version 2 says whether the client uses TLS, in whatever place among the extensions") {
    val addresses = Seq(192, 0, 2, 1, 198, 51, 100, 2, 0x12, 0x67, 1, 0xbb)
    val authority = Seq(2, 0, 1, 'a'.toInt)
    // flags, the result of verifying the client's certificate, and an extension of its own: the version
    def ssl(flags: Int) = Seq(0x20, 0, 15, flags, 0, 0, 0, 1, 0x21, 0, 7) ++ "TLSv1.3".map(_.toInt)
    def isSecure(command: Int, family: Int, content: Seq[Int]) = {
      val input  = binary(command, family, content: _*)
      val result = parsed(input, 1)._1.isSecure
      assertEquals(parsed(input, 1000)._1.isSecure, result)
      result
    }
    for (more <- Seq(ssl(1), authority ++ ssl(1), ssl(7) ++ authority, Seq(0x20, 0, 1, 1)))
      assert(isSecure(0x21, 0x11, addresses ++ more), more)
    assert(isSecure(0x21, 0x21, Seq.fill(36)(0) ++ ssl(1)))
    assert(isSecure(0x21, 0x31, Seq.fill(216)(0) ++ ssl(1)))
    for (more <- Seq(Nil, authority, ssl(0), ssl(6), Seq(0x21, 0, 1, 1), Seq(2, 0, 3, 0x20, 0, 1)))
      assert(!isSecure(0x21, 0x11, addresses ++ more), more)
    assert(!isSecure(0x20, 0x11, addresses ++ ssl(1))) // the proxy's own connection, as for health checks
    for (cut <- Seq(Seq(0x20), Seq(0x20, 0), Seq(0x20, 0, 0), Seq(0x20, 0, 2, 1), Seq(2, 255, 255, 1)))
      refuses(binary(0x21, 0x11, addresses ++ cut: _*))
  }

  test("what is malformed") {
    refuses("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes)
    refuses("PROXYTCP4 192.0.2.1 198.51.100.2 4711 443\r\n".getBytes)
    refuses("PROXY TCP4 192.0.2.1 198.51.100.2 4711 443 \n".getBytes)
    refuses("PROXY TCP4 192.0.2.1 198.51.100.2 4711 443 \r\n".getBytes)
    refuses("PROXY TCP4 192.0.2 198.51.100.2 4711 443\r\n".getBytes)
    refuses("PROXY TCP4 ::1 ::1 4711 443\r\n".getBytes)
    refuses("PROXY TCP4 192.0.2.1 198.51.100.2 4711 65536\r\n".getBytes)
    refuses(("PROXY TCP4 " + "1" * 200).getBytes)
    refuses(binary(0x31, 0x11, 1, 2, 3))
    refuses(binary(0x22, 0x11, 1, 2, 3))
    refuses(binary(0x21, 0x11, 1, 2, 3))
    refuses(signature ++ Array[Byte](0x21, 0x11, -1, -1))
  }

  test("trusted addresses and networks") {
    val some = new TrustedProxies(Seq("10.0.0.0/8", "192.0.2.7", "fd00::/8", "unix"))
    for (peer <- Seq("10.1.2.3:1", "192.0.2.7:80", "[fd12::1]:9"))
      assert(some.trusts(isUnix = false, peer), peer)
    for (peer <- Seq("11.0.0.1:1", "192.0.2.8:80", "[fe80::1]:9", ""))
      assert(!some.trusts(isUnix = false, peer), peer)
    assert(new TrustedProxies(Seq("0.0.0.0/0")).trusts(isUnix = false, "1.2.3.4:5"))
    // the name of a peer on a Unix socket says nothing
    for (peer <- Seq("/run/a", "", "a", "a:", ":1", "1.2.3.4:5")) {
      assert(some.trusts(isUnix = true, peer), peer)
      assert(!new TrustedProxies(Seq("0.0.0.0/0")).trusts(isUnix = true, peer), peer)
    }
    for (wrong <- Seq("10.0.0.0/33", "proxy", "10.0.0.0/", "1.2.3/8"))
      assert(
        intercept[IllegalArgumentException](new TrustedProxies(Seq(wrong))).getMessage.contains("proxies")
      )
  }
}
