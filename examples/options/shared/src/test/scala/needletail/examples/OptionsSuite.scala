package needletail.examples

import needletail.testing.Suite
import scala.concurrent.duration.DurationInt

class OptionsSuite extends Suite {
  private val options = Options("server", "Serves.")
  private val host    = options.text("host", "127.0.0.1", "address to listen on")
  private val port    = options.int("port", 8080, "port to listen on; 0 picks a free one", 0 to 65535)
  private val idle    = options.duration("idle-timeout", 8.seconds, "how long a connection may be idle")
  private val body    = options.size("max-body", 1024 * 1024, "largest body")
  private val quiet   = options.flag("quiet", "say nothing")

  private def chosen(args: String*): Options.Values =
    options.parse(args) match {
      case Right(values) => values
      case Left(other)   => fail(s"refused: $other")
    }

  private def refused(args: String*): String =
    options.parse(args) match {
      case Left(Options.Malformed(message)) => message
      case other                            => fail(s"not refused: $other")
    }

  test("what is not given has its default") {
    val none = chosen()
    assertEquals(none(host), "127.0.0.1")
    assertEquals(none(port), 8080)
    assertEquals(none(idle), 8.seconds)
    assertEquals(none(body), 1048576L)
    assertEquals(none(quiet), false)
    assert(!none.has(port), "has port")
  }

  test("values follow their name or an equals sign, in any order") {
    val all = chosen("--quiet", "--port", "0", "--host=::1", "--max-body=64k", "--idle-timeout", "200ms")
    assertEquals(all(host), "::1")
    assertEquals(all(port), 0)
    assertEquals(all(idle), 200.millis)
    assertEquals(all(body), 65536L)
    assertEquals(all(quiet), true)
    assert(all.has(port), "has port")
  }

  test("the last one counts, and a value may hold an equals sign or be empty") {
    assertEquals(chosen("--port", "1", "--port=2")(port), 2)
    assertEquals(chosen("--host=a=b")(host), "a=b")
    assertEquals(chosen("--host=")(host), "")
    assertEquals(chosen("--host", "")(host), "")
  }

  test("lengths of time") {
    for (
      (text, value) <-
        List("0s" -> 0.seconds, "5s" -> 5.seconds, "1m" -> 1.minute, "2h" -> 2.hours, "7us" -> 7.micros) ++
          List("365d" -> 365.days, "1d" -> 1.day)
    )
      assertEquals(chosen("--idle-timeout", text)(idle), value, text)
    for (text <- List("", "5", "s", "-5s", "+5s", "1.5s", "5 s", "5S", "5w", "9999999999999h", "106752d"))
      assertEquals(
        refused(s"--idle-timeout=$text"),
        s"option '--idle-timeout': expected a duration such as 200ms, 5s, 1m, 2h or 1d, got '$text'"
      )
  }

  test("sizes") {
    for (
      (text, value) <- List("0" -> 0L, "17" -> 17L, "64K" -> 65536L, "10m" -> 10485760L, "2g" -> 2147483648L)
    )
      assertEquals(chosen("--max-body", text)(body), value, text)
    for (text <- List("", "k", "-1", "+1", "1.5m", "1kb", "99999999999g", "99999999999999999999"))
      assertEquals(
        refused(s"--max-body=$text"),
        s"option '--max-body': expected a number of bytes such as 65536, 64k, 10m or 2g, got '$text'"
      )
  }

  test("whole numbers within their range") {
    assertEquals(chosen("--port", "65535")(port), 65535)
    for (text <- List("65536", "-1", "eighty", "", "99999999999"))
      assertEquals(
        refused(s"--port=$text"),
        s"option '--port': expected a whole number from 0 to 65535, got '$text'"
      )
  }

  test("what is unknown, unexpected or incomplete is refused by name") {
    assertEquals(refused("--prot", "1"), "unknown option '--prot'")
    assertEquals(refused("--prot=1"), "unknown option '--prot'")
    assertEquals(refused("8080"), "unexpected argument '8080'")
    assertEquals(refused("-p"), "unexpected argument '-p'")
    assertEquals(refused("--"), "unexpected argument '--'")
    assertEquals(refused("--port"), "option '--port' needs a value")
    assertEquals(refused("--port", "--quiet"), "option '--port' needs a value")
    assertEquals(refused("--quiet=yes"), "option '--quiet' takes no value")
  }

  test("--help lists what there is, with defaults that read back as they are written") {
    val help = options.parse(List("--port", "1", "--help", "--nonsense")) match {
      case Left(Options.Help(text)) => text
      case other                    => fail(s"no help: $other")
    }
    assertEquals(
      help,
      """Serves.
        |
        |Usage: server [OPTION]...
        |
        |  --host TEXT          address to listen on (default: 127.0.0.1)
        |  --port N             port to listen on; 0 picks a free one (default: 8080)
        |  --idle-timeout TIME  how long a connection may be idle (default: 8s)
        |  --max-body BYTES     largest body (default: 1m)
        |  --quiet              say nothing
        |  --help               print this help
        |""".stripMargin
    )
    for (time <- List(0.seconds, 90.seconds, 250.millis, 1.hour, 3.nanos))
      assertEquals(OptionValue.duration(OptionValue.show(time)), Right(time))
    for (bytes <- List(0L, 1L, 1024L, 1025L, 3L * 1024 * 1024, Long.MaxValue))
      assertEquals(OptionValue.size(OptionValue.show(bytes)), Right(bytes))
  }

  test("an option cannot be declared twice") {
    intercept[IllegalArgumentException](options.flag("port", "again"))
    intercept[IllegalArgumentException](options.flag("help", "other"))
  }
}
