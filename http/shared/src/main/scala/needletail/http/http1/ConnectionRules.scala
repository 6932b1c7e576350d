package needletail.http.http1

import needletail.http.http1.fields.{FieldList, Fields}
import needletail.http.message.{HttpError, Status}
import needletail.http.text.Ascii

/** Connection properties derived from a head: whether it persists, and whether the client waits for 100 (Continue). */
private[needletail] object ConnectionRules {

  /** Sets `keepAlive` and `expectContinue` of a head whose framing is known. Returns the error, or null. */
  def decide(head: Head): HttpError = {
    persistence(head)
    head.expectContinue = false
    // HTTP/1.0 has no expectations (RFC 9110 §10.1.1)
    if ((head.seen & Fields.Expect) != 0 && head.minor >= 1) expectation(head) else null
  }

  /**
   * Sets `keepAlive` (RFC 9112 §9.3): close has precedence; HTTP/1.1 persists by default, HTTP/1.0 only with
   * keep-alive.
   */
  def persistence(head: MessageHead): Unit = {
    head.keepAlive = head.minor >= 1
    if ((head.seen & Fields.Connection) != 0) options(head)
  }

  /** Whether a request requests another protocol: Upgrade, with the connection option of that name (RFC 9110 §7.8). */
  def asksForUpgrade(head: MessageHead): Boolean =
    head.minor >= 1 && (head.seen & Fields.Connection) != 0 && head.indexOf("upgrade", 0) >= 0 &&
      hasMember(head, "connection", "upgrade")

  /** Whether a list in all fields of that name has a member, in whatever case. Makes no strings. */
  private[needletail] def hasMember(head: MessageHead, name: String, member: String): Boolean = {
    var found = false
    var field = head.indexOf(name, 0)
    while (field >= 0 && !found) {
      val end = head.valueEnd(field)
      var p   = head.valueStart(field)
      while (p < end && !found) {
        val comma = FieldList.memberEnd(head.bytes, p, end)
        val from  = FieldList.skipSpace(head.bytes, p, comma)
        found = Ascii.same(head.bytes, from, FieldList.trimSpace(head.bytes, from, comma), member)
        p = comma + 1
      }
      field = head.indexOf(name, field + 1)
    }
    found
  }

  @noinline private def options(head: MessageHead): Unit = {
    var close = false
    var field = head.first(Fields.Connection)
    while (field >= 0) {
      val end = head.valueEnd(field)
      var p   = head.valueStart(field)
      while (p < end) {
        val comma = FieldList.memberEnd(head.bytes, p, end)
        val from  = FieldList.skipSpace(head.bytes, p, comma)
        val until = FieldList.trimSpace(head.bytes, from, comma)
        if (Ascii.same(head.bytes, from, until, "close")) close = true
        else if (Ascii.same(head.bytes, from, until, "keep-alive")) head.keepAlive = true
        p = comma + 1
      }
      field = head.indexOf("connection", field + 1)
    }
    if (close) head.keepAlive = false
  }

  /** 100-continue, which matters only if content follows, is the only known expectation (RFC 9110 §10.1.1). */
  @noinline private def expectation(head: Head): HttpError = {
    var field = head.first(Fields.Expect)
    while (field >= 0) {
      val end = head.valueEnd(field)
      var p   = head.valueStart(field)
      while (p < end) {
        val comma = FieldList.memberEnd(head.bytes, p, end)
        val from  = FieldList.skipSpace(head.bytes, p, comma)
        val until = FieldList.trimSpace(head.bytes, from, comma)
        if (from < until) {
          if (!Ascii.same(head.bytes, from, until, "100-continue"))
            return HttpError(Status.ExpectationFailed, "the only supported expectation is 100-continue")
          head.expectContinue = head.contentLength != 0
        }
        p = comma + 1
      }
      field = head.indexOf("expect", field + 1)
    }
    null
  }
}
