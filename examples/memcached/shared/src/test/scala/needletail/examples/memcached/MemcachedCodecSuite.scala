package needletail.examples.memcached

import needletail.tcp.Decoded
import needletail.testing.Suite
import needletail.testkit.CodecTest

class MemcachedCodecSuite extends Suite {
  import Command._

  private val codec               = CodecTest(new MemcachedCodec(10))
  private def bytes(text: String) = text.getBytes("ISO-8859-1")
  private val format              = Wrong("CLIENT_ERROR bad command line format")

  test("commands") {
    codec.decodes(
      "get a\r\nget a  b\r\ngets a\n",
      Get(Vector("a"), cas = false),
      Get(Vector("a", "b"), cas = false),
      Get(Vector("a"), cas = true)
    )
    codec.decodes(
      "delete a\r\ndelete a 0\r\ndelete a noreply\r\n",
      Delete("a", false),
      Delete("a", false),
      Delete("a", true)
    )
    codec.decodes(
      "incr a 1\r\ndecr a 18446744073709551615 noreply\r\n",
      Add("a", 1, up = true, false),
      Add("a", -1, up = false, true)
    )
    codec.decodes("touch a 10\r\ntouch a -1 noreply\r\n", Touch("a", 10, false), Touch("a", -1, true))
    codec.decodes(
      "flush_all\r\nflush_all 10\r\nflush_all noreply\r\nflush_all 5 noreply\r\n",
      FlushAll(0, false),
      FlushAll(10, false),
      FlushAll(0, true),
      FlushAll(5, true)
    )
    codec.decodes(
      "version\r\nversion a noreply\r\nverbosity 1\r\nverbosity 1 noreply\r\nstats\r\nquit\r\n",
      Version,
      Version,
      Verbosity(false),
      Verbosity(true),
      Stats,
      Quit
    )
  }

  test("commands with an item, of any bytes") {
    codec.decodes(
      "set a 1 2 3\r\nx\r\n\r\nadd b 4294967295 -1 0 noreply\r\n\r\ncas c 0 0 1 99\r\n\u00ff\r\n",
      Store(Set, "a", 1, 2, bytes("x\r\n"), 0, false),
      Store(AddNew, "b", 4294967295L, -1, bytes(""), 0, true),
      Store(CompareAndSwap, "c", 0, 0, bytes("\u00ff"), 99, false)
    )
    for ((name, how) <- Seq("replace" -> Replace, "append" -> Append, "prepend" -> Prepend))
      codec.decodes(s"$name a 0 0 10\r\n0123456789\r\n", Store(how, "a", 0, 0, bytes("0123456789"), 0, false))
  }

  test("what is wrong is answered, and the connection goes on") {
    codec.decodes(
      "\r\nnosuch\r\nget\r\nset a\r\nGET a\r\nquit 0\r\nquit noreply\r\nverbosity\r\nverbosity a b\r\n",
      Seq.fill(9)(Wrong("ERROR")): _*
    )
    codec.decodes(
      "set a 0 0 -1\r\nset a 0 0 x\r\nget " + "k" * 251 + "\r\nget a\tb\r\n",
      Seq.fill(4)(format): _*
    )
    codec.decodes("set a 0 0 3\r\nabcde", Wrong("CLIENT_ERROR bad data chunk"))
    codec.decodes(
      "incr a x\r\nincr a -1\r\nincr a 18446744073709551616\r\n",
      Seq.fill(3)(Wrong("CLIENT_ERROR invalid numeric delta argument")): _*
    )
    codec.decodes(
      "stats items\r\nstats cachedump 1 0\r\n",
      Seq.fill(2)(
        Wrong("CLIENT_ERROR there are no statistics but those of stats alone, and items are not listed")
      ): _*
    )
    codec.decodes("get " + "k" * 250 + "\r\n", Get(Vector("k" * 250), cas = false))
    assertEquals(codec.rejects("version\r\n" + "x" * 65536, Version), "line too long")
  }

  test("what is wrong and wants no answer has none, as the client takes the next one for another's") {
    codec.decodes(
      "incr a x noreply\r\ndelete a 1 noreply\r\nset a 0 0 1 2 noreply\r\nset a 0 0 2 noreply\r\nabcd",
      Wrong("CLIENT_ERROR invalid numeric delta argument", isQuiet = true),
      Wrong("CLIENT_ERROR bad command line format.  Usage: delete <key> [noreply]", isQuiet = true),
      Wrong("ERROR", isQuiet = true),
      Wrong("CLIENT_ERROR bad data chunk", isQuiet = true)
    )
    codec.decodes("get " + "k" * 251 + " noreply\r\n", format)
  }

  test("what is incomplete") {
    for (
      part <- Seq("g", "get a", "get a\r", "set a 0 0 3\r\n", "set a 0 0 3\r\nabc", "set a 0 0 3\r\nabc\r")
    )
      codec.isIncomplete("version\r\n" + part, Version)
  }

  test("an item that is too large is skipped, however it comes") {
    // how many messages the skipping is depends on how the bytes come, so not with the kit
    for (size <- 1 to 40) {
      val text    = bytes("set a 0 0 20\r\n01234567890123456789\r\nversion\r\n")
      val decoder = new MemcachedCodec(10).decoder()
      var left    = Array.empty[Byte]
      var seen    = Vector.empty[Command]
      for (part <- text.grouped(size)) {
        left = left ++ part
        var go = left.nonEmpty
        while (go) decoder.decode(left, 0, left.length) match {
          case Decoded.Message(m, n) =>
            seen :+= m
            left = left.drop(n)
            go = left.nonEmpty
          case _ => go = false
        }
      }
      assertEquals(seen.filter(_ != Skipped), Vector(TooLarge(Set, "a", false), Version), s"parts of $size")
    }
  }

  test("answers") {
    codec.encodes(Reply.Stored, "STORED\r\n")
    codec.encodes(
      Reply.Value("a", Item(7, 0, bytes("x\u00ff"), -1), cas = false),
      "VALUE a 7 2\r\nx\u00ff\r\n"
    )
    codec.encodes(
      Reply.Value("a", Item(7, 0, bytes(""), -1), cas = true),
      "VALUE a 7 0 18446744073709551615\r\n\r\n"
    )
  }
}
