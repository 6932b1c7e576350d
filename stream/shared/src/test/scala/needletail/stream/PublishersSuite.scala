package needletail.stream

import java.util.concurrent.Flow.{Publisher, Subscriber, Subscription}

import scala.util.Failure

import needletail.async.Async
import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** Both directions by the rules of Reactive Streams, on both platforms; TckSuite runs its whole kit on the JVM. */
class PublishersSuite extends Suite {

  /** Notes what it is told, and what else it does with each element. */
  private final class Heard[A](first: Long, after: Subscription => Unit = _ => ()) extends Subscriber[A] {
    var subscription: Subscription               = null
    var heard: List[Any]                         = Nil
    def onSubscribe(offered: Subscription): Unit = {
      subscription = offered
      if (first > 0) offered.request(first)
    }
    def onNext(element: A): Unit    = { heard = heard :+ element; after(subscription) }
    def onError(e: Throwable): Unit = heard = heard :+ e
    def onComplete(): Unit          = heard = heard :+ "complete"
  }

  test("elements come as they are requested, and not before") {
    for (pending <- Seq(false, true)) {
      val loop  = new ManualLoop
      val probe = new Probe(1 to 5, pending)
      val heard = new Heard[Int](0)
      Publishers.publisher(probe, loop).subscribe(heard)
      loop.runAll()
      assertEquals((heard.heard, probe.passed), (Nil, 0))
      heard.subscription.request(2)
      loop.runAll()
      assertEquals((heard.heard, probe.passed), (List[Any](1, 2), 2))
      heard.subscription.request(Long.MaxValue)
      heard.subscription.request(Long.MaxValue)
      loop.runAll()
      assertEquals(heard.heard, List[Any](1, 2, 3, 4, 5, "complete"))
      assertEquals(probe.misuse, Nil)
    }
  }

  test("a subscriber that cancels, within onNext or while an element is awaited, cancels the stream once") {
    for (pending <- Seq(false, true)) {
      val loop  = new ManualLoop
      val probe = new Probe(1 to 5, pending, Probe.Never)
      val heard = new Heard[Int](9, s => { s.cancel(); s.cancel() })
      Publishers.publisher(probe, loop).subscribe(heard)
      loop.runAll()
      assertEquals((heard.heard, probe.cancelled), (List[Any](1), 1))

      val waits = new Probe(Seq.empty[Int], pending, Probe.Never)
      val other = new Heard[Int](9)
      Publishers.publisher(waits, loop).subscribe(other)
      loop.runAll()
      other.subscription.cancel()
      loop.runAll()
      assertEquals((other.heard, waits.cancelled), (Nil, 1))
    }
  }

  test("a request for no elements is an error, also while one is awaited") {
    for (count <- Seq(0L, -1L)) {
      val loop  = new ManualLoop
      val heard = new Heard[Int](1)
      Publishers.publisher(new Push[Int](1).stream, loop).subscribe(heard)
      loop.runAll()
      heard.subscription.request(count)
      loop.runAll()
      assertEquals(heard.heard.length, 1, heard.heard)
      assert(heard.heard.head.isInstanceOf[IllegalArgumentException], heard.heard)
    }
  }

  test("a request for no elements within onSubscribe or onNext is an error once that has returned") {
    for (within <- Seq("onSubscribe", "onNext"); waits <- Seq(false, true)) {
      val loop                                      = new ManualLoop
      var heard                                     = List.empty[String]
      def around(name: String)(body: => Unit): Unit = {
        heard :+= name
        body
        heard :+= s"$name returns"
      }
      val subscriber = new Subscriber[Int] {
        var subscription: Subscription               = null
        def onSubscribe(offered: Subscription): Unit = around("onSubscribe") {
          subscription = offered
          offered.request(2)
          if (within == "onSubscribe") {
            offered.request(0)
            offered.request(0)
          }
        }
        def onNext(element: Int): Unit  = around("onNext")(subscription.request(0))
        def onError(e: Throwable): Unit = around("onError")(assert(e.isInstanceOf[IllegalArgumentException]))
        def onComplete(): Unit          = around("onComplete")(())
      }
      val probe = new Probe(1 to 5, waits)
      Publishers.publisher(probe, loop).subscribe(subscriber)
      loop.runAll()
      val calls =
        if (within == "onNext") List("onSubscribe", "onNext", "onError") else List("onSubscribe", "onError")
      assertEquals(heard, calls.flatMap(name => List(name, s"$name returns")))
      assertEquals((probe.cancelled, probe.misuse), (1, Nil))
    }
  }

  test("onNext is not called again before it has returned, also for elements that had to be waited for") {
    for (waits <- Seq[Int => Boolean](_ => false, _ => true, _ == 1, _ == 2)) {
      val loop    = new ManualLoop
      var calling = false
      var nested  = 0
      val heard   = new Heard[Int](
        1,
        s => {
          if (calling) nested += 1
          calling = true
          s.request(1)
          calling = false
        }
      )
      val numbers = Stream.unfold(1)(n =>
        (if (waits(n)) Async.yieldNow else Async.unit).map(_ => if (n > 3) None else Some((n, n + 1)))
      )
      Publishers.publisher(numbers, loop).subscribe(heard)
      loop.runAll()
      assertEquals((heard.heard, nested), (List[Any](1, 2, 3, "complete"), 0))
    }
  }

  test("a stream whose next throws, or returns null, is a failure of its publisher") {
    val broken                               = new Exception("broken")
    def heard(answer: => Async[Option[Int]]) = {
      val loop = new ManualLoop
      val all  = new Heard[Int](9)
      Publishers
        .publisher(new Stream[Int] { def next(): Async[Option[Int]] = answer; def cancel(): Unit = () }, loop)
        .subscribe(all)
      loop.runAll()
      all.heard
    }
    assertEquals(heard(throw broken), List[Any](broken))
    assert(heard(null).head.isInstanceOf[NullPointerException])
  }

  test("failures, wrong requests, a second subscriber and a subscriber that throws") {
    val loop   = new ManualLoop
    val broken = new Exception("broken")
    val fails  = new Heard[Int](9)
    Publishers.publisher(new Probe(Seq(1), ending = Probe.Fail(broken)), loop).subscribe(fails)
    loop.runAll()
    assertEquals(fails.heard, List[Any](1, broken))

    val probe     = new Probe(Seq(1), ending = Probe.Never)
    val wrong     = new Heard[Int](0)
    val publisher = Publishers.publisher(probe, loop)
    publisher.subscribe(wrong)
    loop.runAll()
    wrong.subscription.request(-1)
    loop.runAll()
    assert(wrong.heard.head.isInstanceOf[IllegalArgumentException])
    assertEquals(probe.cancelled, 1)

    val second = new Heard[Int](1)
    publisher.subscribe(second)
    loop.runAll()
    assert(second.heard.head.isInstanceOf[IllegalStateException])

    val read = new Probe(Seq(1, 2), ending = Probe.Never)
    Publishers.publisher(read, loop).subscribe(new Heard[Int](9, _ => throw broken))
    assertEquals(intercept[Exception](loop.runAll()), broken)
    assertEquals(read.cancelled, 1)
  }

  /** Gives what is requested, and notes the requests. */
  private final class Numbers(count: Int, also: Subscriber[_ >: Int] => Unit = _ => ())
      extends Publisher[Int] {
    var requests: List[Long]                      = Nil
    var cancelled                                 = 0
    def subscribe(to: Subscriber[_ >: Int]): Unit = {
      var sent = 0
      var over = false
      to.onSubscribe(new Subscription {
        def request(n: Long): Unit = {
          requests ::= n
          var left = n
          while (left > 0 && !over && sent < count) {
            sent += 1
            left -= 1
            to.onNext(sent)
          }
          if (sent == count && !over) {
            over = true
            to.onComplete()
          }
        }
        def cancel(): Unit = { over = true; cancelled += 1 }
      })
      also(to)
    }
  }

  test("a publisher is subscribed to when it is read, and asked for no more than the buffer holds") {
    val loop    = new ManualLoop
    val numbers = new Numbers(1000)
    val stream  = Publishers.stream(numbers, buffer = 8)
    assertEquals(numbers.requests, Nil)
    assertEquals(loop.run(stream.toList(1000)).get, (1 to 1000).toList)
    assertEquals(numbers.requests.max, 8L)
    assertEquals(numbers.cancelled, 0)
  }

  test("a stream that stops cancels the subscription once") {
    val loop    = new ManualLoop
    val numbers = new Numbers(1000)
    assertEquals(loop.run(Publishers.stream(numbers, 8).take(3).toList(9)).get, List(1, 2, 3))
    assertEquals(numbers.cancelled, 1)
  }

  test("a publisher that fails, one that sends too much, and one that throws") {
    val loop                           = new ManualLoop
    val broken                         = new Exception("broken")
    def end(publisher: Publisher[Int]) = loop.run(Publishers.stream(publisher, 2).drain())
    assertEquals(end(new Numbers(1, _.onError(broken))).isSuccess, true) // it was complete before
    assertEquals(end(to => { to.onSubscribe(none); to.onNext(1); to.onError(broken) }), Failure(broken))
    assertEquals(end(_ => throw broken), Failure(broken))
    val tooMany = end(to => { to.onSubscribe(none); for (n <- 1 to 3) to.onNext(n) })
    assert(tooMany.failed.get.isInstanceOf[IllegalStateException])
  }

  test("there and back") {
    val loop = new ManualLoop
    for (pending <- Seq(false, true)) {
      val back = loop.run {
        Publishers.stream(Publishers.publisher(new Probe(1 to 1000, pending), loop)).toList(1000)
      }
      assertEquals(back.get, (1 to 1000).toList)
    }
  }

  private val none = new Subscription {
    def request(n: Long): Unit = ()
    def cancel(): Unit         = ()
  }
}
