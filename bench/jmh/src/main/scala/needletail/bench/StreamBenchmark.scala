package needletail.bench

import java.nio.charset.StandardCharsets.US_ASCII
import java.util.concurrent.TimeUnit

import scala.concurrent.Await
import scala.concurrent.duration._

import org.openjdk.jmh.annotations.*

import needletail.async.{Async, ThreadLoop}
import needletail.stream.{Offer, Push, Stream}
import needletail.testkit.ManualLoop

/** Streams of a thousand elements, 64 KiB of lines, and a source that is fed. Divide by the elements for each. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
class StreamBenchmark {
  private val elements: Vector[Integer] = Vector.tabulate(StreamBenchmark.Elements)(Int.box)
  private val loop                      = new ManualLoop
  private val reader                    = new ThreadLoop("reader")

  // 820 lines of 80 bytes with their end, in 16 pieces
  private val pieces: Vector[Array[Byte]] =
    ("x" * 79 + "\n").repeat(820).getBytes(US_ASCII).take(65536).grouped(4096).toVector

  private val short = ("y" * 7 + "\n").repeat(8192).getBytes(US_ASCII).grouped(4096).toVector

  @TearDown
  def close(): Unit = reader.close()

  private def sum(stream: Stream[Integer]): Long = loop.run(stream.fold(0L)(_ + _.longValue)).get

  /** No operator: what reading costs. */
  @Benchmark
  def fold(): Long = sum(Stream.from(elements))

  @Benchmark
  def mapFilterTake(): Long =
    sum(Stream.from(elements).map(plusOne).filter(_.intValue != 7).take(900))

  @Benchmark
  def tenMaps(): Long = sum((1 to 10).foldLeft(Stream.from(elements))((s, _) => s.map(plusOne)))

  @Benchmark
  def flatMapOfTen(): Long =
    sum(Stream.from(elements.take(100)).flatMap(n => Stream.from(elements.slice(n, n + 10))))

  @Benchmark
  def mapAsyncReady(): Long = sum(Stream.from(elements).mapAsync(8)(n => Async.value(n)))

  /** Each value comes in the loop's next turn. */
  @Benchmark
  def mapAsyncPending(): Long =
    sum(Stream.from(elements).mapAsync(8)(n => Async.yieldNow.map(_ => n)))

  /** Element by element through `next`, as a server reads the stream of a response. */
  @Benchmark
  def next(): Long = {
    val stream           = Stream.from(elements).map(plusOne)
    def go(n: Long): Async[Long] = stream.next().flatMap {
      case Some(element) => go(n + element.longValue)
      case None          => Async.value(n)
    }
    loop.run(go(0)).get
  }

  @Benchmark
  def lines(): Long = loop.run(Stream.from(pieces).lines().fold(0L)((n, line) => n + line.length)).get

  @Benchmark
  def shortLines(): Long = loop.run(Stream.from(short).lines().fold(0L)((n, line) => n + line.length)).get

  /** The same by hand, as one text. */
  @Benchmark
  def linesOfText(): Long =
    new String(pieces.toArray.flatten, US_ASCII).linesIterator.foldLeft(0L)((n, line) => n + line.length)

  /** All elements offered and read on one loop, 64 at a time. */
  @Benchmark
  def pushOnOneLoop(): Long = {
    val push = new Push[Integer](64)
    loop.within {
      var n   = 0L
      val all = push.stream.foreach(element => n += element.longValue)
      elements.foreach(push.offer)
      push.complete()
      loop.runAll()
      if (!all.isCompleted) throw new IllegalStateException
      n
    }
  }

  /** Offered by one thread, which spins while it is full, and read by another. */
  @Benchmark
  def pushFromAThread(): Long = {
    val push = new Push[Integer](64)
    val all  = Async.run(reader)(push.stream.fold(0L)(_ + _.longValue))
    elements.foreach(element => while (push.offer(element) != Offer.Accepted) Thread.onSpinWait())
    push.complete()
    Await.result(all, 1.minute)
  }

  private val plusOne: Integer => Integer = n => StreamBenchmark.next(n)
}

object StreamBenchmark {
  final val Elements = 1000

  private val boxed = Array.tabulate(Elements + 100)(Int.box)

  /** One more, without a new object, so that only what streams allocate is measured. */
  def next(n: Integer): Integer = boxed(n + 1)

}
