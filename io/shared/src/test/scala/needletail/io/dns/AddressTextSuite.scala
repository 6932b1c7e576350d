package needletail.io.dns

import needletail.io.{Address, LoopSuite}

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

  private def parsed(text: String): String = {
    val ip = AddressText.parse(text)
    if (ip eq null) "none" else ip.map(b => f"$b%02x").mkString
  }

  test("addresses written out are read strictly") {
    assertEquals(parsed("127.0.0.1"), "7f000001")
    assertEquals(parsed("255.255.255.255"), "ffffffff")
    assertEquals(parsed("::"), "0" * 32)
    assertEquals(parsed("::1"), "0" * 31 + "1")
    assertEquals(parsed("1::"), "0001" + "0" * 28)
    assertEquals(parsed("2001:db8::8:800:200C:417a"), "20010db80000000000080800200c417a")
    assertEquals(parsed("1:2:3:4:5:6:7:8"), "00010002000300040005000600070008")
    assertEquals(parsed("1::3:4:5:6:7:8"), "00010000000300040005000600070008")
    assertEquals(parsed("::ffff:192.0.2.1"), "0" * 20 + "ffffc0000201")
    assertEquals(parsed("1:2:3:4:5:6:192.0.2.1"), "000100020003000400050006c0000201")
    for (
      text <- Seq(
        "",
        ".",
        "1",
        "1.2.3",
        "1.2.3.",
        "1.2.3.4.",
        "1.2.3.4.5",
        ".1.2.3",
        "1..2.3",
        "999.1.1.1",
        "256.0.0.1",
        "01.2.3.4",
        "1.2.3.4 ",
        "1.2.3.x",
        "0x7f.0.0.1",
        "1.2.3.0000",
        "localhost",
        ":",
        ":::",
        "1:",
        ":1",
        "1:2",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:",
        ":1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "1:2:3:4:5:6:7:8::",
        "::1::",
        "1::2::3",
        "12345::",
        "g::1",
        "::g",
        "1:2:3:4:5:6:7:1.2.3.4",
        "::1.2.3",
        "::1.2.3.4:5",
        "::1%lo",
        "[::1]",
        "1:::2"
      )
    )
      assertEquals(parsed(text), "none", text)
  }

  test("what is written is read") {
    val random = new scala.util.Random(7)
    for (_ <- 1 to 2000) {
      val ip = new Array[Byte](if (random.nextBoolean()) 4 else 16)
      random.nextBytes(ip)
      for (i <- ip.indices) if (random.nextInt(3) > 0) ip(i) = 0
      val text = AddressText.render(ip, 1)
      val bare = text.substring(0, text.lastIndexOf(':')).stripPrefix("[").stripSuffix("]")
      if (!(ip.length == 16 && bare.indexOf(':') < 0)) // an IPv4 address that was mapped
        assert(java.util.Arrays.equals(AddressText.parse(bare), ip), text)
    }
  }

  test("an address of an interface is one of IPv6 with its name behind a percent sign") {
    for (scoped <- Seq("fe80::1%eth0", "fe80::1%1", "::1%lo")) assert(AddressText.isScoped(scoped), scoped)
    for (other <- Seq("fe80::1", "fe80::1%", "%eth0", "127.0.0.1%lo", "a%b", "fe80:::1%eth0", ""))
      assert(!AddressText.isScoped(other), other)
  }
}
