package needletail.gateway.format.fastcgi

import needletail.gateway.Records
import needletail.gateway.format.cgi.Variables
import needletail.testing.Suite

class NameValuesSuite extends Suite {
  import Records.*

  private def read(bytes: Array[Byte]): Option[List[(String, String)]] = {
    val variables = new Variables
    if (NameValues.read(variables, bytes, 0, bytes.length)) Some(variables.toList) else None
  }

  test("pairs with lengths on both sides of one byte") {
    val lengths = List(0, 1, 2, 126, 127, 128, 129, 255, 256, 65535, 65536, 70000)
    for (name <- lengths; value <- lengths) {
      val pair = ("n" * name, "v" * value)
      assertEquals(read(params(pair, "last" -> "1")), Some(List(pair, "last" -> "1")), s"$name, $value")
    }
  }

  test("a length that fits one byte may be written in four") {
    val bytes = latin1("\u0080\u0000\u0000\u0001\u0080\u0000\u0000\u0002ab!")
    assertEquals(read(bytes.dropRight(0)), Some(List("a" -> "b!")))
  }

  test("pairs that end before their time are refused, wherever that is") {
    val one = params("NAME" -> "value", "L" * 130 -> "x" * 300)
    val two = params("NAME" -> "value").length
    for (length <- 1 until one.length if length != two)
      assertEquals(read(one.take(length)), None, s"$length bytes")
    assertEquals(read(Array[Byte]()), Some(Nil))
  }

  test("lengths whose sum is more than there can be are refused") {
    val most = "\u00ff\u00ff\u00ff\u00ff"
    for (bytes <- List(most + most + "ab", "\u0001" + most + "ab", most + "\u0001ab"))
      assertEquals(read(latin1(bytes)), None)
  }

  test("of a name that came twice the last value counts, and an empty one is none") {
    val variables = new Variables
    val bytes     = params("A" -> "1", "B" -> "", "A" -> "2", "AB" -> "3")
    assert(NameValues.read(variables, bytes, 0, bytes.length))
    assertEquals(variables.get("A"), "2")
    assertEquals(variables.get("B"), null)
    assertEquals(variables.get("C"), null)
    assertEquals(variables.get("AB"), "3")
  }

  test("a kept copy has bytes of its own") {
    val bytes     = params("A" -> "1", "LONG" -> "x" * 200)
    val variables = new Variables
    assert(NameValues.read(variables, bytes, 0, bytes.length))
    val kept = variables.kept
    java.util.Arrays.fill(bytes, 0.toByte)
    assertEquals(kept.toList, List("A" -> "1", "LONG" -> "x" * 200))
    assertEquals(new Variables().kept.toList, Nil)
  }

  test("an environment becomes variables, byte by byte") {
    assertEquals(Variables.of(List("A" -> "é", "B" -> "")).toList, List("A" -> "\u00c3\u00a9", "B" -> ""))
    assertEquals(
      Variables.ofEnvironment(latin1("A=b=c\u0000B=\u00e9\u0000NOTHING\u0000=x\u0000C=1")).toList,
      List("A" -> "b=c", "B" -> "\u00e9", "C" -> "1")
    )
  }

  test("a name with bytes beyond ASCII is found") {
    val variables = Variables.ofEnvironment(latin1("\u00c3\u00a9=1\u0000"))
    assertEquals(variables.get("\u00c3\u00a9"), "1")
  }
}
