package needletail.io

class AddressTextSuite extends LoopSuite {
  private def v6(fields: Int*): String = {
    val ip = fields.flatMap(f => Seq((f >> 8).toByte, f.toByte)).toArray
    AddressText.render(ip, 80)
  }

  test("IPv4") {
    assertEquals(AddressText.render(Array[Byte](127, 0, 0, 1), 8080), "127.0.0.1:8080")
    assertEquals(AddressText.render(Array[Byte](-1, -64, 0, 9), 1), "255.192.0.9:1")
  }

  test("IPv6 as RFC 5952 recommends") {
    assertEquals(v6(0, 0, 0, 0, 0, 0, 0, 1), "[::1]:80")
    assertEquals(v6(0, 0, 0, 0, 0, 0, 0, 0), "[::]:80")
    assertEquals(v6(0x2001, 0xdb8, 0, 0, 0, 0, 2, 1), "[2001:db8::2:1]:80")
    assertEquals(
      v6(0x2001, 0xdb8, 0, 1, 1, 1, 1, 1),
      "[2001:db8:0:1:1:1:1:1]:80"
    )                                                                           // one field is not shortened
    assertEquals(v6(0x2001, 0, 0, 1, 0, 0, 0, 1), "[2001:0:0:1::1]:80")         // the longest run
    assertEquals(v6(0x2001, 0xdb8, 0, 0, 1, 0, 0, 1), "[2001:db8::1:0:0:1]:80") // the first of equals
    assertEquals(v6(0xfe80, 0, 0, 0, 0, 0, 0, 0), "[fe80::]:80")
    assertEquals(v6(1, 2, 3, 4, 5, 6, 7, 0xabcd), "[1:2:3:4:5:6:7:abcd]:80")
  }

  test("IPv4 in IPv6 is IPv4") {
    assertEquals(v6(0, 0, 0, 0, 0, 0xffff, 0x7f00, 1), "127.0.0.1:80")
  }

  test("addresses in messages") {
    assertEquals(Address.Tcp("::1", 80).toString, "[::1]:80")
    assertEquals(Address.Tcp("", 80).toString, "*:80")
    assertEquals(Address.Tcp("example.org", 80).toString, "example.org:80")
    assertEquals(Address.Unix("/run/x").toString, "/run/x")
  }
}
