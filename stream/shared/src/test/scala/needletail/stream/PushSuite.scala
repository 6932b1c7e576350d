package needletail.stream

import java.util.concurrent.CountDownLatch

import scala.concurrent.Await
import scala.concurrent.duration._
import scala.util.{Failure, Success}

import needletail.async.{Async, AsyncPromise, Cancelled, ThreadLoop}
import needletail.testing.Suite
import needletail.testkit.ManualLoop

class PushSuite extends Suite {

  test("elements are accepted up to the capacity, and read in order") {
    val loop = new ManualLoop
    val push = new Push[Int](2)
    assertEquals(push.offer(1), Offer.Accepted)
    assertEquals(push.offer(2), Offer.Accepted)
    assert(push.offer(3).isInstanceOf[Offer.Later])
    assertEquals(loop.run(push.stream.next()).get, Some(1))
    assertEquals(push.offer(4), Offer.Accepted)
    push.complete()
    assertEquals(loop.run(push.stream.toList(9)).get, List(2, 4))
  }

  test("one that is full says when there is room") {
    val loop = new ManualLoop
    val push = new Push[String](1)
    push.offer("a")
    val full = push.offer("b").asInstanceOf[Offer.Later]
    val room = loop.within(full.room)
    loop.runAll()
    assert(!room.isCompleted)
    assertEquals(loop.run(push.stream.next()).get, Some("a"))
    loop.runAll()
    assertEquals(room.poll, Some(Success(())))
    // asked for when there is room already
    assertEquals(loop.within(full.room).poll, Some(Success(())))
  }

  test("send waits for room, and tells when the stream has ended") {
    val loop  = new ManualLoop
    val push  = new Push[Int](1)
    val sends = loop.within((1 to 3).map(push.send))
    assertEquals(loop.run(push.stream.take(3).toList(3)).get, List(1, 2, 3))
    assert(sends.forall(_.poll == Some(Success(true))), sends)
    assertEquals(loop.run(push.send(4)).get, false)
  }

  test("elements that are held come before the end and before a failure; nothing is accepted after either") {
    val broken                      = new Exception("broken")
    def end(how: Push[Int] => Unit) = {
      val push = new Push[Int](2)
      push.offer(1)
      how(push)
      push.complete()
      push.fail(new Exception("too late"))
      assertEquals(push.offer(2), Offer.Closed)
      assert(push.isClosed)
      val loop = new ManualLoop
      assertEquals(loop.run(push.stream.next()).get, Some(1))
      val last = loop.run(push.stream.next())
      assertEquals(loop.run(push.stream.next()).get, None)
      last
    }
    assertEquals(end(_.complete()), Success(None))
    assertEquals(end(_.fail(broken)), Failure(broken))
  }

  test("a reader that waits is told of elements, the end and a failure") {
    val broken                      = new Exception("broken")
    def tell(how: Push[Int] => Any) = {
      val loop = new ManualLoop
      val push = new Push[Int](1)
      val next = loop.within(push.stream.next())
      assert(!next.isCompleted)
      val thread = new Thread(() => { how(push); () })
      thread.start()
      thread.join()
      assert(!next.isCompleted) // not on that thread
      loop.run(next)
    }
    assertEquals(tell(_.offer(1)), Success(Some(1)))
    assertEquals(tell(_.complete()), Success(None))
    assertEquals(tell(_.fail(broken)), Failure(broken))
  }

  test("a reader that cancels drops what is held, and tells those who wait") {
    val loop = new ManualLoop
    val push = new Push[Int](1)
    push.offer(1)
    val send = loop.within(push.send(2))
    loop.within(push.stream.cancel())
    assertEquals(loop.run(send).get, false)
    assertEquals(push.offer(3), Offer.Closed)
    assert(push.isClosed)
    assertEquals(loop.run(push.stream.next()).get, None)

    val other = new Push[Int](1)
    val next  = loop.within(other.stream.next())
    loop.within(other.stream.cancel())
    assert(next.poll.exists(_.failed.get.isInstanceOf[Cancelled]))
    assertEquals(other.offer(3), Offer.Closed)
  }

  test("an element is not lost when the wait for it was given up") {
    val loop = new ManualLoop
    val push = new Push[Int](1)
    val next = loop.within(push.stream.next())
    loop.within(next.cancel())
    push.offer(1)
    assertEquals(loop.run(push.stream.next()).get, Some(1))
  }

  test("room is not lost to those who do not want it any more") {
    val loop = new ManualLoop
    val push = new Push[Int](1)
    push.offer(0)
    val gone = loop.within(push.offer(1).asInstanceOf[Offer.Later].room) // never offers again
    val send = loop.within(push.send(2))
    assertEquals(loop.run(push.stream.next()).get, Some(0))
    assertEquals(loop.run(push.stream.next()).get, Some(2))
    assert(gone.isCompleted && send.isCompleted)
  }

  test(
    "an element that is added as its reader begins to wait goes through all stages, and others may follow"
  ) {
    val stages = Seq[(String, Stream[Int] => Stream[Int])](
      "map"      -> (_.map(_ * 10)),
      "until"    -> (_.until(new AsyncPromise[Unit]).map(_ * 10)),
      "merge"    -> (_.merge(Stream.empty).map(_ * 10)),
      "zip"      -> (_.zip(Stream.from(1 to 9)).map(_._1 * 10)),
      "mapAsync" -> (_.mapAsync(1)(n => Async.value(n * 10)))
    )
    for ((name, stage) <- stages) {
      val loop   = new ManualLoop
      val push   = new Push[Int](1)
      val stream = stage(push.stream)
      push.offer(1)
      loop.within(push.offer(2).asInstanceOf[Offer.Later].room) // never offers again
      loop.within(push.send(3))
      assertEquals(loop.run(stream.next()).get, Some(10), name)
      assertEquals(loop.run(stream.next()).get, Some(30), name)
      assertEquals(push.offer(4), Offer.Accepted, name)
      assertEquals(loop.run(stream.next()).get, Some(40), name)
    }
  }

  test("waits that were given up leave nothing behind") {
    val loop = new ManualLoop
    val push = new Push[Int](1)
    push.offer(0)
    for (_ <- 1 to 1000) loop.within(push.send(1).cancel())
    assertEquals(push.waiting, 0)
  }

  test("null is an element") {
    val push = new Push[String](1)
    push.offer(null)
    push.complete()
    assertEquals(new ManualLoop().run(push.stream.toList(2)).get, List(null))
  }

  test("a full one reports room to other loops and takes from many threads, each element once") {
    val reader  = new ThreadLoop("reader")
    val push    = new Push[Int](8)
    val threads = 4
    val each    = 5000
    val all     = Async.run(reader)(push.stream.toList(threads * each))
    val left    = new CountDownLatch(threads)
    val loops   = (0 until threads).map { thread =>
      val loop = new ThreadLoop(s"writer-$thread")
      Async
        .run(loop)(Stream.from(0 until each).mapAsync(1)(n => push.send(thread * each + n)).foreach(taken =>
          if (!taken) fail("closed")
        ))
        .foreach(_ => left.countDown())(scala.concurrent.ExecutionContext.parasitic)
      loop
    }
    val done = left.await(25, java.util.concurrent.TimeUnit.SECONDS) // not within assert, which holds a lock
    assert(done)
    push.complete()
    val elements = Await.result(all, 20.seconds)
    assertEquals(elements.sorted, (0 until threads * each).toList)
    // those of one thread are in order
    elements.groupBy(_ / each).values.foreach(own => assertEquals(own, own.sorted))
    (reader +: loops).foreach(_.close())
  }

  test("many threads that do not wait: what was accepted arrives, and no more than that") {
    val reader   = new ThreadLoop("reader")
    val push     = new Push[Int](16)
    val sum      = Async.run(reader)(push.stream.fold(0L)(_ + _))
    val accepted = new java.util.concurrent.atomic.AtomicLong
    val threads  = (1 to 4).map(_ =>
      new Thread(() =>
        for (n <- 1 to 10000) if (push.offer(n) == Offer.Accepted) { accepted.addAndGet(n.toLong); () }
      )
    )
    threads.foreach(_.start())
    threads.foreach(_.join(20000))
    push.complete()
    assertEquals(Await.result(sum, 20.seconds), accepted.get)
    reader.close()
  }
}
