package needletail.examples.redis

import needletail.testing.Suite
import needletail.testkit.CodecTest

class RespCodecSuite extends Suite {
  import RespValue._

  private val codec              = CodecTest(new RespCodec(1024 * 1024))
  private def bulk(text: String) = Bulk(text.getBytes("ISO-8859-1"))

  test("the types of RESP2") {
    codec.decodes("+OK\r\n+\r\n", Simple("OK"), Simple(""))
    codec.decodes("-WRONGTYPE no\r\n", Failed("WRONGTYPE no"))
    codec.decodes(":0\r\n:-1\r\n:9223372036854775807\r\n", Number(0), Number(-1), Number(Long.MaxValue))
    codec.decodes("$3\r\na\r\n\r\n$0\r\n\r\n$-1\r\n", bulk("a\r\n"), bulk(""), Null)
    codec.decodes("$4\r\n\u0000\u00ff\r\n\r\n", bulk("\u0000\u00ff\r\n"))
    codec.decodes(
      "*0\r\n*-1\r\n*2\r\n:1\r\n$1\r\nx\r\n",
      Items(Vector()),
      Null,
      Items(Vector(Number(1), bulk("x")))
    )
    codec.decodes("*2\r\n*1\r\n*0\r\n+x\r\n", Items(Vector(Items(Vector(Items(Vector()))), Simple("x"))))
  }

  test("the types of RESP3") {
    codec.decodes(
      "_\r\n#t\r\n#f\r\n,1.5\r\n,inf\r\n(123456789012345678901\r\n",
      Null,
      Bool(true),
      Bool(false),
      Decimal("1.5"),
      Decimal("inf"),
      Decimal("123456789012345678901")
    )
    codec.decodes("!5\r\nERR x\r\n=7\r\ntxt:abc\r\n", Failed("ERR x"), Verbatim("txt", "abc".getBytes))
    codec.decodes(
      "%1\r\n+a\r\n:1\r\n~2\r\n:1\r\n:2\r\n%0\r\n",
      Fields(Vector(Simple("a") -> Number(1))),
      Distinct(Vector(Number(1), Number(2))),
      Fields(Vector())
    )
    codec.decodes(">2\r\n+message\r\n:1\r\n+OK\r\n", Push(Vector(Simple("message"), Number(1))), Simple("OK"))
  }

  test("attributes are skipped, in front of a value and within one") {
    codec.decodes("|1\r\n+ttl\r\n:3600\r\n:42\r\n", Number(42))
    codec.decodes("*2\r\n|1\r\n+a\r\n*1\r\n:1\r\n:2\r\n:3\r\n", Items(Vector(Number(2), Number(3))))
  }

  test("what is malformed") {
    for (
      bytes <- Seq(
        "x\r\n",
        "\r\n",
        "+OK\rx",
        ":x\r\n",
        ":+1\r\n",
        ":1.5\r\n",
        ":9223372036854775808\r\n",
        "$-2\r\n",
        "$x\r\n",
        "$1\r\nabc",
        "$1\r\na\rx",
        "$?\r\n",
        "*-2\r\n",
        "*?\r\n",
        "%-1\r\n",
        ">0\r\n",
        "|0\r\n",
        "_x\r\n",
        "#x\r\n",
        "=3\r\nabc\r\n",
        "!-1\r\n",
        "$99999999999999999999\r\n",
        "*1\r\nx\r\n",
        "*" + "1" * 30 + "\r\n"
      )
    ) {
      codec.rejects(bytes)
      codec.rejects("+OK\r\n" + bytes, Simple("OK"))
    }
    assertEquals(codec.rejects("*1\r\n" * 40), "values are nested more than 32 deep")
    assertEquals(codec.rejects("+" + "x" * 70000), "a line is longer than 65536 bytes")
  }

  test("what is incomplete, whatever it announces") {
    for (
      bytes <- Seq(
        "+",
        "+OK\r",
        "$",
        "$3\r\nab",
        "$3\r\nabc",
        "$3\r\nabc\r",
        "*1\r\n",
        "*2147483\r\n:1\r\n",
        "%1\r\n+a\r\n",
        "$1048576\r\nx"
      )
    )
      codec.isIncomplete(s":1\r\n$bytes", Number(1))
  }

  test("a long list costs time in proportion to its length, byte by byte or not") {
    val count = 1500
    codec.decodes(s"*$count\r\n" + ":1\r\n" * count, Items(Vector.fill(count)(Number(1))))
  }

  test("commands") {
    codec.encodes(Command.of("GET", "a\u0001b"), "*2\r\n$3\r\nGET\r\n$3\r\na\u0001b\r\n")
    codec.encodes(
      Command("SET", Array[Byte](-1, 0), Array.empty[Byte]),
      "*3\r\n$3\r\nSET\r\n$2\r\n\u00ff\u0000\r\n$0\r\n\r\n"
    )
  }
}
