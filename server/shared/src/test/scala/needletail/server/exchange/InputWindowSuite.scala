package needletail.server.exchange

import needletail.server.session.SessionParts

import needletail.testing.Suite

/** The bytes of one call, and who owns them. */
class InputWindowSuite extends Suite {
  private def opened(givesInput: Boolean): (SessionParts, Array[Byte]) = {
    val parts = new SessionParts
    parts.givesInput = givesInput
    val bytes = "0123456789".getBytes
    parts.input.open(bytes, 0, bytes.length)
    (parts, bytes)
  }

  test("what is used is not there any more, and the caller learns up to where") {
    val (parts, _) = opened(givesInput = false)
    assertEquals(parts.input.available, 10)
    parts.input.skip(3)
    assertEquals(new String(parts.input.take(2)), "34")
    assertEquals(parts.left, "56789")
    assertEquals(parts.input.close(), 5)
    assert(parts.input.isEmpty)
    assertEquals(parts.input.available, 0)
  }

  test("all of it can be used for nothing") {
    val (parts, _) = opened(givesInput = false)
    assert(!parts.input.hasExcess)
    parts.input.skipAll()
    assert(parts.input.hasExcess)
    assertEquals(parts.input.close(), 10)
  }

  test("a whole array is kept where the connection gives it away, and copied where not") {
    val (giving, owned) = opened(givesInput = true)
    assert(giving.input.take(10) eq owned)
    val (keeping, kept) = opened(givesInput = false)
    val copy            = keeping.input.take(10)
    assert(copy ne kept)
    assertEquals(copy.toList, kept.toList)
  }

  test("a part of an array is always copied") {
    val (parts, bytes) = opened(givesInput = true)
    val piece          = parts.input.take(9)
    bytes(0) = 'x'
    assertEquals(new String(piece), "012345678")
  }
}
