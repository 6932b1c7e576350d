package needletail.server.session

import java.lang.ref.WeakReference

import needletail.async.AsyncPromise
import needletail.http._
import needletail.testing.Suite

/** What a reply that has given way for want of memory was made of is not only uncounted: nothing holds it. */
class GivenWaySuite extends Suite {
  test("a reply that has given way keeps neither its content nor its stream") {
    for (isStream <- Seq(false, true)) {
      val slow                           = new AsyncPromise[Response]
      var content: WeakReference[AnyRef] = null
      val site: Handler                  = request =>
        if (request.path == "/slow") slow
        else {
          val page = new Array[Byte](100000)
          content = new WeakReference[AnyRef](page)
          if (isStream) Response.ok.stream(ByteStream.of(page)) else Response.ok.bytes(page)
        }
      val wire = new FakeWire(site)
      wire.send(Seq("/slow", "/page").map(path => s"GET $path HTTP/1.1\r\nHost: a\r\n\r\n").mkString)
      assertEquals(wire.session.memory.waitingReplies, 100000L)
      wire.session.memory.refuseWaiting()
      eventually({ System.gc(); content.get == null }, "something holds it")
      slow.succeed(Response.ok)
      assertEquals(wire.turn().statuses, List(200, 503))
    }
  }
}
