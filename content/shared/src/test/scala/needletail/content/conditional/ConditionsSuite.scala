package needletail.content.conditional

import needletail.http.{Headers, HttpDate, Method, Request}
import needletail.testing.Suite

class ConditionsSuite extends Suite {
  private val modified = 784111777L
  private val same     = HttpDate.format(modified)
  private val earlier  = HttpDate.format(modified - 10)
  private val later    = HttpDate.format(modified + 10)

  private val conditions = new Conditions(Some(EntityTag("a")), Some(modified))

  private def verdict(method: Method, fields: (String, String)*): Verdict =
    conditions(Request(method, "/", Headers(fields*)))

  private def get(fields: (String, String)*): Verdict = verdict(Method.GET, fields*)

  test("tags are compared strongly for If-Match and weakly for If-None-Match (RFC 9110 §8.8.3.2)") {
    assertEquals(get("If-Match" -> "\"a\""), Verdict.Proceed: Verdict)
    assertEquals(get("If-Match" -> "\"b\", \"a\""), Verdict.Proceed: Verdict)
    assertEquals(get("If-Match" -> "W/\"a\""), Verdict.Failed: Verdict)
    assertEquals(get("If-Match" -> "*"), Verdict.Proceed: Verdict)
    assertEquals(get("If-Match" -> "nonsense"), Verdict.Failed: Verdict)
    assertEquals(get("If-None-Match" -> "W/\"a\""), Verdict.NotModified: Verdict)
    assertEquals(get("If-None-Match" -> "\"b\", \"a\""), Verdict.NotModified: Verdict)
    assertEquals(get("If-None-Match" -> "\"b\"", "If-None-Match" -> "\"a\""), Verdict.NotModified: Verdict)
    assertEquals(get("If-None-Match" -> "\"b\""), Verdict.Proceed: Verdict)
    assertEquals(verdict(Method.PUT, "If-None-Match" -> "*"), Verdict.Failed: Verdict)
  }

  test("dates count where there is no tag, in the order of RFC 9110 §13.2.2") {
    assertEquals(get("If-Modified-Since" -> same), Verdict.NotModified: Verdict)
    assertEquals(get("If-Modified-Since" -> earlier), Verdict.Proceed: Verdict)
    assertEquals(get("If-Modified-Since" -> "yesterday"), Verdict.Proceed: Verdict)
    assertEquals(get("If-Modified-Since" -> later, "If-None-Match" -> "\"b\""), Verdict.Proceed: Verdict)
    assertEquals(verdict(Method.POST, "If-Modified-Since" -> later), Verdict.Proceed: Verdict)
    assertEquals(get("If-Unmodified-Since" -> earlier), Verdict.Failed: Verdict)
    assertEquals(get("If-Unmodified-Since" -> same), Verdict.Proceed: Verdict)
    assertEquals(get("If-Unmodified-Since" -> earlier, "If-Match" -> "\"a\""), Verdict.Proceed: Verdict)
    assertEquals(get("If-Match" -> "\"b\"", "If-None-Match" -> "\"a\""), Verdict.Failed: Verdict)
  }

  test("If-Range needs a strong validator (RFC 9110 §13.1.5)") {
    def allows(value: String, now: Long = modified + 100) =
      conditions.allowRange(Request(Method.GET, "/", Headers("If-Range" -> value)), now)
    assert(allows("\"a\""))
    assert(!allows("W/\"a\""))
    assert(!allows("\"b\""))
    assert(allows(same))
    assert(!allows(later))
    assert(!allows(same, now = modified), "the second is not over")
    assert(!allows("nonsense"))
    assert(conditions.allowRange(Request.get("/"), 0))
  }

  test("without a representation, * does not match") {
    val none = new Conditions(None, None, exists = false)
    assertEquals(none(Request(Method.PUT, "/", Headers("If-None-Match" -> "*"))), Verdict.Proceed: Verdict)
    assertEquals(none(Request(Method.PUT, "/", Headers("If-Match" -> "*"))), Verdict.Failed: Verdict)
  }

  test("a field that is not one tag is none") {
    assertEquals(EntityTag.parse("W/\"a\" "), Some(EntityTag("a", isWeak = true)))
    for (
      bad <- Seq(
        "",
        "a",
        "\"a",
        "a\"",
        "\"a\" \"b\"",
        "\"a\"x",
        "\"a\" x",
        "\"a\", \"b\"",
        "w/\"a\"",
        "\"a b\"",
        "W/"
      )
    )
      assertEquals(EntityTag.parse(bad), None, bad)
    assertEquals(get("If-None-Match" -> "\"b\" \"a\""), Verdict.Proceed: Verdict)
  }
}
