package needletail.client.tunnel

import java.io.IOException

import needletail.fuzz.{Check, FuzzTarget}
import needletail.http.http1.StrictHeads
import needletail.io.Address

/**
 * A proxy's answers to CONNECT by [[ConnectHandshake]]. Bytes are given to it as from a socket: at most as many at a
 * time as it wants. The outcome does not depend on how many come, and not a byte of the server's is read.
 */
object ConnectAnswerFuzz extends FuzzTarget("connect-answer") {
  private final val Longest = 16 * 1024

  def check(data: Array[Byte]): Unit = {
    val whole = exchanged(data, Int.MaxValue)
    for (most <- List(1, 2, 3, 7)) Check.same(s"at most $most bytes at a time", exchanged(data, most), whole)
    val other = StrictHeads.answer(Check.text(data)) match {
      case Some((status, end)) if end <= Longest =>
        if (status / 100 == 2) s"a tunnel after $end" else s"$status"
      case _ => "none"
    }
    Check.same("another reader", if (whole.startsWith("malformed")) "none" else whole, other)
  }

  override def read(data: Array[Byte]): Unit = { exchanged(data, Int.MaxValue); () }

  private def exchanged(data: Array[Byte], most: Int): String = {
    val handshake = new ConnectHandshake(Some("Basic YTpi"), new Address.Tcp("a.example", 443), Some("b"))
    val answer    = new Array[Byte](Longest)
    var count     = 0
    var result    = null: String
    while (result == null) {
      val wanted = handshake.wanted(answer, count)
      Check(wanted > 0, s"$wanted bytes are wanted")
      val more = List(wanted, most, data.length - count, Longest - count).min
      if (more == 0) result = "none"
      else {
        System.arraycopy(data, count, answer, count, more)
        count += more
        try if (handshake.accepts(answer, count)) result = s"a tunnel after $count"
        catch {
          case e: ProxyRefusal => result = e.status.code.toString
          case e: IOException  =>
            result = e.getMessage.replaceFirst("the proxy's answer is malformed.*", "malformed")
        }
      }
    }
    result
  }
}
