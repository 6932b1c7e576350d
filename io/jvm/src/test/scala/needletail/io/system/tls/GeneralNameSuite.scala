package needletail.io.system.tls

import java.nio.charset.StandardCharsets.ISO_8859_1
import javax.security.auth.x500.X500Principal

import needletail.testing.Suite

/** Which names are within the bases of name constraints (RFC 5280 section 4.2.1.10), as `openssl verify` judges. */
class GeneralNameSuite extends Suite {
  private def within(kind: Int)(base: String, names: String*)(expected: Option[Boolean]): Unit = {
    def of(text: String) = new GeneralName(kind, text.getBytes(ISO_8859_1))
    for (name <- names) assertEquals(of(base).includes(of(name)), expected, s"$name in $base")
  }

  test("hosts") {
    def hosts(base: String, names: String*)(expected: Option[Boolean]): Unit =
      within(GeneralName.Host)(base, names*)(expected)
    hosts("staff.example", "staff.example", "STAFF.example", "a.staff.example", "*.staff.example")(Some(true))
    hosts("staff.example", "evilstaff.example", "example", "staff.example.org", "")(Some(false))
    hosts(".staff.example", "a.staff.example", "a.b.Staff.example")(Some(true))
    hosts(".staff.example", "staff.example")(Some(false))
    hosts("", "staff.example", "localhost", "")(Some(true))
  }

  test("mailboxes") {
    def mail(base: String, names: String*)(expected: Option[Boolean]): Unit =
      within(GeneralName.Email)(base, names*)(expected)
    mail("staff.example", "ann@staff.example", "ann@STAFF.example")(Some(true))
    mail("staff.example", "ann@a.staff.example", "ann@evilstaff.example")(Some(false))
    mail(".staff.example", "ann@a.staff.example")(Some(true))
    mail(".staff.example", "ann@staff.example")(Some(false))
    mail("ann@staff.example", "ann@Staff.example")(Some(true))
    mail("ann@staff.example", "Ann@staff.example", "joann@staff.example")(Some(false))
    mail("@staff.example", "ann@staff.example")(Some(true))
    mail("staff.example", "staff.example")(None)
  }

  test("hosts of URIs") {
    def uris(base: String, names: String*)(expected: Option[Boolean]): Unit =
      within(GeneralName.Uri)(base, names*)(expected)
    uris(
      "staff.example",
      "https://staff.example",
      "https://STAFF.example/a",
      "x://staff.example/a:b"
    )(Some(true))
    uris("staff.example", "https://a.staff.example/", "https://bank.example/staff.example")(Some(false))
    uris(".staff.example", "https://a.staff.example:8443/")(Some(true))
    uris("staff.example", "urn:staff.example", "https:///staff.example", "staff.example")(None)
  }

  test("addresses") {
    def address(bytes: Int*) = new GeneralName(GeneralName.Address, bytes.map(_.toByte).toArray)
    val net                  = address(10, 1, 0, 0, 255, 255, 0, 0)
    def is(of: GeneralName)  = net.includes(of)
    assertEquals(is(address(10, 1, 2, 3)), Some(true))
    assertEquals(is(address(10, 2, 2, 3)), Some(false))
    assertEquals(is(address(Seq.fill(16)(10)*)), Some(false))
    assertEquals(is(address(10, 1, 2)), None)
    assertEquals(address(Seq.fill(8)(0)*).includes(address(1, 2, 3, 4)), Some(true))
  }

  test("directory names") {
    def name(text: String) = new GeneralName(GeneralName.Directory, new X500Principal(text).getEncoded)
    def is(base: String, text: String) = name(base).includes(name(text))
    assertEquals(is("O=Staff,C=DE", "CN=Ann,O=Staff,C=DE"), Some(true))
    assertEquals(is("O=Staff,C=DE", "CN=Ann,O=sTAFF,C=de"), Some(true))
    assertEquals(is("O=Staff,C=DE", "CN=Ann,O=Bank,C=DE"), Some(false))
    assertEquals(is("O=Staff,C=DE", "C=DE"), Some(false))
    assertEquals(is("", "CN=Ann"), Some(true))
  }

  test("of other kinds it cannot be told") {
    for (kind <- Seq(0, 3, 5, 8)) within(kind)("a", "a")(None)
  }

  private def extension(content: Int*): Array[Byte] = {
    val all = content.map(_.toByte).toArray
    Array[Byte](4, (all.length + 2).toByte, 0x30, all.length.toByte) ++ all
  }

  test("constraints that are malformed, or have a minimum or a maximum, are not read") {
    val base                    = Seq(0x82, 1, 'a'.toInt)
    def read(subtree: Seq[Int]) =
      NameConstraints.read(extension((Seq(0xa0, subtree.length + 2, 0x30, subtree.length) ++ subtree)*))
    assert(read(base).isDefined)
    assert(read(base ++ Seq(0x80, 1, 0)).isDefined)
    for (more <- Seq(Seq(0x80, 1, 1), Seq(0x81, 1, 0), Seq(0x80, 1, 0, 0x81, 1, 5), Seq(0x80, 2, 0), Seq(0)))
      assert(read(base ++ more).isEmpty, more)
    assert(NameConstraints.read(Array[Byte](4)).isEmpty)
    assert(NameConstraints.read(extension(0xa0, 2, 0x30, 0)).isEmpty)
  }
}
