package needletail.stream

import java.nio.file.Files

import scala.concurrent.duration._
import scala.util.{Failure, Success}

import needletail.async.{Async, AsyncPromise}
import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** Functions that cancel the stream that calls them: the reader is not left waiting, and what they return is released. */
class CancelWithinSuite extends Suite {
  private var stopped           = 0
  private def hang[A]: Async[A] = {
    val promise = new AsyncPromise[A]
    promise.onCancel(() => stopped += 1)
    promise
  }

  /** `make` is given what cancels the stream that it makes, which is to stop so many others that it has begun. */
  private def ends(name: String, leaves: Int = 1)(make: (() => Unit) => Stream[Any]): Unit = {
    var stream: Stream[Any] = null
    val loop                = new ManualLoop
    stopped = 0
    stream = make(() => stream.cancel())
    val next = loop.within(stream.next())
    loop.runAll()
    loop.advance(1.second)
    assert(next.isCompleted, s"$name: the reader waits")
    assertEquals(loop.run(stream.next()).get, None, name)
    assertEquals(stopped, leaves, name)
  }

  test("a function that cancels its stream leaves no reader waiting and nothing under way") {
    for (pending <- Seq(false, true)) {
      def one = new Probe(Seq(1), pending)
      ends("mapAsync")(cancel => one.mapAsync(2) { _ => cancel(); hang[Int] })
      ends("flatMap")(cancel => one.flatMap { _ => cancel(); Stream(1).onEnd(stopped += 1) })
      ends("zip", 0)(cancel => one.map { _ => cancel(); 1 }.zip(new Probe(Nil, ending = Probe.Never)))
      ends("merge", 0)(cancel => one.filter { _ => cancel(); false }.merge(Stream.empty))
      ends("recoverWith") { cancel =>
        new Probe(Nil, pending, Probe.Fail(new Exception)).recoverWith { case _ =>
          cancel()
          Stream(1).onEnd(stopped += 1)
        }
      }
    }
    ends("unfold")(cancel => Stream.unfold(1) { _ => cancel(); hang[Option[(Int, Int)]] })
    ends("defer")(cancel => Stream.defer { cancel(); Async.value(Stream(1).onEnd(stopped += 1)) })
    ends("defer, pending")(cancel => Stream.defer { cancel(); hang[Stream[Int]] })
    ends("until")(cancel =>
      Stream.unfold(1)(_ => { cancel(); hang[Option[(Int, Int)]] }).until(new AsyncPromise[Unit])
    )
  }

  test("pieces without a byte do not keep the loop from others while they are written") {
    val file = Files.createTempFile("needletail", ".bytes")
    try {
      val loop  = new ManualLoop
      var count = 0
      val write = loop.within(
        Stream.fromIterator(Iterator.continually { count += 1; Array.empty[Byte] }.takeWhile(_ =>
          count < 10000000
        ))
          .writeTo(file)
      )
      assert(!write.isCompleted && count <= 1000, count)
      loop.within(write.cancel())
      loop.runAll()
      assert(count <= 1000, count)
    } finally Files.delete(file)
  }

  test("a stream that waits for several sources and is cancelled ends the read of what was made of it") {
    def never = new Probe[Int](Nil, ending = Probe.Never)
    for (
      (name, stream) <- Seq[(String, Stream[Any])](
        "merge"    -> never.merge(never),
        "zip"      -> never.zip(never),
        "until"    -> never.until(new AsyncPromise[Unit]),
        "paced"    -> never.paced(1.second),
        "mapAsync" -> Stream(1).mapAsync(2)(_ => new AsyncPromise[Int])
      )
    ) {
      val loop = new ManualLoop
      val read = loop.within(stream.map(identity).next())
      assert(!read.isCompleted, name)
      loop.within(stream.cancel())
      assertEquals(read.poll, Some(Success(None)), name)
    }
  }

  test("a piece that is null is a failure of the write, and the source is cancelled") {
    val file = Files.createTempFile("needletail", ".bytes")
    try {
      val probe = new Probe(Seq[Array[Byte]](null, Array[Byte](1)), ending = Probe.Never)
      new ManualLoop().run(probe.writeTo(file)) match {
        case Failure(_: NullPointerException) => ()
        case other                            => fail(s"$other")
      }
      assertEquals((probe.cancelled, probe.misuse), (1, Nil))
    } finally Files.delete(file)
  }
}
