package needletail.io.system.tls

import java.lang.management.ManagementFactory
import java.math.BigInteger
import javax.security.auth.x500.X500Principal

import needletail.io.tls.Der
import needletail.testing.Suite

/** Names of certificates as text, whoever has made the certificate. */
class DistinguishedNamesSuite extends Suite {

  /** One attribute, of the type with that number, whose content is given. */
  private def name(kind: Array[Byte], value: Array[Byte]): X500Principal =
    new X500Principal(Der.element(
      Der.Sequence,
      Der.element(0x31, Der.element(Der.Sequence, Der.element(Der.ObjectNumber, kind) ++ value))
    ))

  private val x = Der.element(19, Array[Byte]('x'))

  /** One that is as long as the JDK accepts: 1.2, and a number of this many bytes. */
  private def long(count: Int): Array[Byte] =
    0x2a.toByte +: Array.tabulate(count)(i => ((i * 37 + 5) % 128 | (if (i < count - 1) 0x80 else 0)).toByte)

  private def textOf(kind: Array[Byte]): String =
    kind.tail.map(b => "%7s".format((b & 0x7f).toBinaryString).replace(' ', '0')).mkString

  test("the number of an attribute's type may have thousands of digits") {
    for (count <- Seq(1, 2, 7, 8, 9, 10, 15, 17, 1000, 4000)) {
      val kind = long(count)
      val text = DistinguishedNames.text(name(kind, x))
      assertEquals(text, s"1.2.${new BigInteger(textOf(kind), 2)}=#130178")
    }
  }

  test("it costs no quadratic time, by the memory that it takes") {
    val counters  = ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]
    val thread    = Thread.currentThread.getId
    val principal = name(long(4000), x)
    DistinguishedNames.text(principal)
    val before = counters.getThreadAllocatedBytes(thread)
    DistinguishedNames.text(principal)
    val taken = counters.getThreadAllocatedBytes(thread) - before
    assert(taken < 2 * 1024 * 1024, taken)
  }

  test("several numbers, and first ones of all kinds") {
    for (
      (bytes, text) <- Seq(
        Seq(0x2a, 0x03, 0x86, 0x48) -> "1.2.3.840",
        Seq(0x00)                   -> "0.0",
        Seq(0x78, 0x01)             -> "2.40.1",
        Seq(0x88, 0x37)             -> "2.999"
      )
    )
      assertEquals(DistinguishedNames.text(name(bytes.map(_.toByte).toArray, x)), s"$text=#130178")
  }
}
