package needletail.websocket.frame

import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, StandardCharsets}

import needletail.testing.Suite

class Utf8Suite extends Suite {
  private def isValid(bytes: Array[Byte]): Boolean =
    try {
      StandardCharsets.UTF_8.newDecoder.decode(ByteBuffer.wrap(bytes))
      true
    } catch { case _: CharacterCodingException => false }

  private def check(bytes: Array[Byte]): Boolean = {
    val whole  = Utf8.check(0, bytes, 0, bytes.length)
    val single = bytes.indices.foldLeft(0)((state, i) =>
      if (state == Utf8.Bad) state else Utf8.check(state, bytes, i, i + 1)
    )
    assertEquals(single, whole, bytes.toList)
    whole == 0
  }

  test("agrees with the platform's decoder about the beginnings of all characters") {
    val edges = Seq(0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff)
    for (first <- 0 to 255) {
      assertEquals(check(Array(first.toByte)), isValid(Array(first.toByte)))
      for (second <- edges; third <- edges) {
        val two = Array(first, second).map(_.toByte)
        assertEquals(check(two), isValid(two), two.toList)
        val three = Array(first, second, third).map(_.toByte)
        assertEquals(check(three), isValid(three), three.toList)
        val four = Array(first, second, third, 0x80).map(_.toByte)
        assertEquals(check(four), isValid(four), four.toList)
      }
    }
  }

  test("finds the one wrong byte wherever it is in a long text") {
    val text = "plain text, ünd äuch änderer €".getBytes("UTF-8")
    assert(check(text))
    for (i <- text.indices) {
      val broken = text.clone
      broken(i) = 0xff.toByte
      assert(!check(broken), i.toString)
    }
  }
}
