package needletail.io.dns

import needletail.testing.Suite

class NetworkSuite extends Suite {
  private def has(network: String, address: String): Boolean = Network.parse(network).get.contains(address)

  test("an address is in a network if it begins with its bits") {
    for (
      (network, address) <-
        List("10.0.0.0/8" -> "10.9.8.7", "192.0.2.1" -> "192.0.2.1", "fd00::/8" -> "fdff::1%eth0")
    )
      assert(has(network, address), (network, address))
    for ((network, address) <- List("10.0.0.0/8" -> "11.0.0.1", "::/0" -> "192.0.2.1", "0.0.0.0/0" -> "::1"))
      assert(!has(network, address), (network, address))
    for (text <- List("10.0.0.0/33", "10.0.0.0/x", "example.org", ""))
      assertEquals(Network.parse(text), None, text)
  }

  test("an IPv4 address that is written as an IPv6 one is IPv4, on both sides") {
    for (network <- List("::ffff:10.0.0.0/104", "10.0.0.0/8"); address <- List("10.1.2.3", "::ffff:10.1.2.3"))
      assert(has(network, address), (network, address))
    assert(has("::ffff:10.1.2.3", "10.1.2.3") && !has("::ffff:10.1.2.3", "10.1.2.4"))
  }

  test("an endpoint is written as connections have it") {
    assertEquals(Network.endpoint("::ffff:192.0.2.1", 80), Some("192.0.2.1:80"))
    assertEquals(Network.endpoint("2001:DB8:0::1", 80), Some("[2001:db8::1]:80"))
    assertEquals(Network.endpoint("example.org", 80), None)
  }
}
