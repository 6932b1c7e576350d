package needletail.server.session

import java.lang.ref.WeakReference

import needletail.async.AsyncPromise
import needletail.http._
import needletail.testing.Suite

/** What a reply that has given way for want of memory was made of is not only uncounted: nothing holds it. */
class GivenWaySuite extends Suite {
  private val Size = 100000

  /** Has a reply made by `page` give way, and then `check` what is left of it while it waits for its turn. */
  private def givingWay(page: Array[Byte] => Response)(check: => Unit): Unit = {
    val slow          = new AsyncPromise[Response]
    val site: Handler = request => if (request.path == "/slow") slow else page(new Array[Byte](Size))
    val wire          = new FakeWire(site)
    wire.send(Seq("/slow", "/page").map(path => s"GET $path HTTP/1.1\r\nHost: a\r\n\r\n").mkString)
    assertEquals(wire.session.memory.waitingReplies, Size.toLong)
    wire.session.memory.refuseWaiting()
    check
    slow.succeed(Response.ok)
    assertEquals(wire.turn().statuses, List(200, 503))
  }

  private def isGone(what: => WeakReference[AnyRef]): Unit =
    eventually({ System.gc(); what.get == null }, "something holds it")

  test("a reply that has given way keeps no content") {
    var content: WeakReference[AnyRef] = null
    givingWay { bytes =>
      content = new WeakReference[AnyRef](bytes)
      Response.ok.bytes(bytes)
    }(isGone(content))
  }

  test("a reply that has given way does not keep its stream, whatever that holds") {
    var stream: WeakReference[AnyRef] = null
    givingWay { bytes =>
      val made = ByteStream.of(bytes)
      stream = new WeakReference[AnyRef](made)
      Response.ok.stream(made)
    }(isGone(stream))
  }

  test("the stream of a reply that has given way holds no content, though the program keeps it") {
    var content: WeakReference[AnyRef] = null
    var stream: ByteStream             = null
    givingWay { bytes =>
      content = new WeakReference[AnyRef](bytes)
      stream = ByteStream.inParts(bytes, Size / 2)
      Response.ok.stream(stream)
    }(isGone(content))
    assertEquals(stream.next().resultOrNull.value, None)
  }
}
