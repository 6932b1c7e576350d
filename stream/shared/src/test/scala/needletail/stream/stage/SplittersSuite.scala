package needletail.stream.stage

import java.nio.charset.StandardCharsets.US_ASCII

import needletail.async.AsyncPromise
import needletail.testing.Suite

/** What lines and frames keep while they wait for the next piece. */
class SplittersSuite extends Suite {

  /** One piece, and then nothing for ever. */
  private final class OnePiece(text: String) extends Pull[Array[Byte]] {
    private var isTaken                       = false
    private[needletail] def advance(): AnyRef =
      if (isTaken) new Later(new AsyncPromise[AnyRef])
      else {
        isTaken = true
        text.getBytes(US_ASCII)
      }
    def cancel(): Unit = ()
  }

  /** What is kept when an element is missing, after those elements that the piece has. */
  private def kept(splitter: Splitter[_], elements: Int): Int = {
    for (_ <- 1 to elements) assert(!splitter.advance().isInstanceOf[Later])
    if (elements == 0) {
      assertEquals(splitter.advance().asInstanceOf[Later].failure, null)
      assertEquals(splitter.advance().asInstanceOf[Later].failure, null)
    }
    splitter.kept
  }

  test("the rest of an element, not the piece; nothing after the last element of a piece") {
    val long = "x" * 30000
    assertEquals(kept(new Lines(new OnePiece(long + "\nabc"), 40000), 1), 30004) // is not asked for more yet
    assertEquals(kept(new Lines(new OnePiece(long + "\n"), 40000), 1), 0)
    assertEquals(kept(new Lines(new OnePiece("abc"), 40000), 0), 3)
    assertEquals(kept(new DelimitedFrames(new OnePiece(long + ";"), Array(';'.toByte), 40000), 1), 0)
    assertEquals(kept(new PrefixedFrames(new OnePiece("\u0001a\u0001b"), 1, 9), 2), 0)
    val lines = new Lines(new OnePiece(long + "\nabc"), 40000)
    lines.advance()
    assert(lines.advance().isInstanceOf[Later])
    assertEquals(lines.kept, 3)
  }

  test("an incomplete line asks for room before it is kept, and fails without") {
    var asked   = List.empty[Int]
    def refusal = new IllegalStateException("no room")
    val granted = new Lines(new OnePiece("abc"), 9, n => { asked ::= n; null })
    assertEquals(kept(granted, 0), 3)
    assertEquals(asked, List(3))
    val refused = new Lines(new OnePiece("a\nbcd"), 9, n => if (n > 2) refusal else null)
    assertEquals(refused.advance(), "a")
    assertEquals(refused.advance().asInstanceOf[Later].failure.getMessage, "no room")
    assertEquals(refused.kept, 0)
  }
}
