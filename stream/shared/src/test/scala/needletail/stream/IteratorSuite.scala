package needletail.stream

import java.util.concurrent.{CountDownLatch, RejectedExecutionException, TimeUnit}
import java.util.concurrent.atomic.AtomicReference

import scala.concurrent.Await
import scala.concurrent.duration._
import scala.util.Try

import needletail.async.{Async, AsyncPromise, ThreadLoop}
import needletail.testing.Suite

class IteratorSuite extends Suite {
  private def withLoop[A](test: ThreadLoop => A): A = {
    val loop = new ThreadLoop
    try test(loop)
    finally loop.close()
  }

  test("another thread reads a stream to its end") {
    withLoop { loop =>
      for (pending <- Seq(false, true)) {
        val probe = new Probe(1 to 1000, pending)
        assertEquals(probe.blockingIterator(loop).toList, (1 to 1000).toList)
        assertEquals(probe.misuse, Nil)
      }
      assertEquals(Stream.empty.blockingIterator(loop).hasNext, false)
      intercept[NoSuchElementException](Stream.empty.blockingIterator(loop).next())
    }
  }

  test("a failure comes after the elements before it") {
    withLoop { loop =>
      val broken = new Exception("broken")
      for (pending <- Seq(false, true)) {
        val elements = new Probe(Seq(1, 2), pending, Probe.Fail(broken)).blockingIterator(loop)
        assertEquals((elements.next(), elements.next()), (1, 2))
        assertEquals(intercept[Exception](elements.next()), broken)
        assertEquals(elements.hasNext, false)
      }
    }
  }

  test("closing cancels the stream once") {
    withLoop { loop =>
      val probe    = new Probe(Seq(1, 2), ending = Probe.Never)
      val elements = probe.blockingIterator(loop)
      assertEquals(elements.next(), 1)
      elements.close()
      elements.close()
      Await.result(Async.run(loop)(Async.unit), 20.seconds)
      assertEquals(probe.cancelled, 1)
      assertEquals(elements.hasNext, false)
    }
  }

  test("it fails when the loop ends while it waits") {
    val loop     = new ThreadLoop
    val begun    = new CountDownLatch(1)
    val never    = Stream.defer { begun.countDown(); new AsyncPromise[Stream[Int]] }
    val elements = never.blockingIterator(loop)
    val seen     = new AtomicReference[Try[Int]]
    val reader   = new Thread(() => seen.set(Try(elements.next())))
    reader.setDaemon(true)
    reader.start()
    val hasBegun = begun.await(20, TimeUnit.SECONDS)
    assert(hasBegun)
    loop.close()
    reader.join(20000)
    assert(seen.get != null && seen.get.failed.get.isInstanceOf[RejectedExecutionException], seen.get)
    assertEquals(elements.hasNext, false)
  }

  test("it cannot wait for the loop that it is on") {
    withLoop { loop =>
      val refused = Async.run(loop)(Async.attempt(Stream(1).blockingIterator(loop).hasNext))
      intercept[IllegalStateException](Await.result(refused, 20.seconds))
    }
  }
}
