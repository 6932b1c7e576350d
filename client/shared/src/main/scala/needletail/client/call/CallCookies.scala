package needletail.client.call

import needletail.client.cookies.CookieJar
import needletail.client.url.Origin
import needletail.http.http1.ResponseHead
import needletail.http.message.Headers
import needletail.http.text.ByteWriter

/** The cookies of a call, in its request and its response. */
private[call] object CallCookies {

  /** Writes the Cookie field of a request, unless there is nothing to send or its headers have one. */
  def write(
      w: ByteWriter,
      jar: CookieJar,
      origin: Origin,
      target: String,
      headers: Headers,
      nowMillis: Long
  ): Unit = if (!headers.contains("Cookie")) {
    val cookies = jar.header(origin, target, nowMillis)
    if (cookies != null) w.writeField("Cookie", cookies)
  }

  /** Keeps what a response sets. */
  def keep(head: ResponseHead, jar: CookieJar, origin: Origin, target: String, nowMillis: Long): Unit = {
    var at = head.indexOf("set-cookie", 0)
    while (at >= 0) {
      jar.receive(origin, target, head.value(at), nowMillis)
      at = head.indexOf("set-cookie", at + 1)
    }
  }
}
