package needletail.bench

import java.nio.charset.StandardCharsets.US_ASCII
import java.util.concurrent.TimeUnit

import scala.concurrent.Await
import scala.concurrent.duration._

import org.openjdk.jmh.annotations.*

import needletail.async.{Async, ThreadLoop}
import needletail.stream.{Push, Stream}
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
  private val writer                    = new ThreadLoop("writer")

  // 820 lines of 80 bytes with their end, in 16 pieces
  private val pieces: Vector[Array[Byte]] =
    ("x" * 79 + "\n").repeat(820).getBytes(US_ASCII).take(65536).grouped(4096).toVector

  private val short = ("y" * 7 + "\n").repeat(8192).getBytes(US_ASCII).grouped(4096).toVector

  @TearDown
  def close(): Unit = {
    reader.close()
    writer.close()
  }

  private def sum(stream: Stream[Integer]): Total = loop.run(stream.fold(new Total)(_ + _)).get

  /** No operator: what reading costs. */
  @Benchmark
  def fold(): Total = sum(Stream.from(elements))

  @Benchmark
  def mapFilterTake(): Total =
    sum(Stream.from(elements).map(plusOne).filter(_.intValue != 7).take(900))

  @Benchmark
  def tenMaps(): Total = sum((1 to 10).foldLeft(Stream.from(elements))((s, _) => s.map(plusOne)))

  @Benchmark
  def flatMapOfTen(): Total =
    sum(Stream.from(elements.take(100)).flatMap(n => Stream.from(elements.slice(n, n + 10))))

  @Benchmark
  def mapAsyncReady(): Total = sum(Stream.from(elements).mapAsync(8)(n => Async.value(n)))

  /** Each value comes in the loop's next turn. */
  @Benchmark
  def mapAsyncPending(): Total =
    sum(Stream.from(elements).mapAsync(8)(n => Async.yieldNow.map(_ => n)))

  /** Element by element through `next`, as a server reads the stream of a response. */
  @Benchmark
  def next(): Total = {
    val stream             = Stream.from(elements).map(plusOne)
    val total              = new Total
    def go(): Async[Total] = stream.next().flatMap {
      case Some(element) => total + element; go()
      case None          => Async.value(total)
    }
    loop.run(go()).get
  }

  @Benchmark
  def lines(): Total = loop.run(Stream.from(pieces).lines().fold(new Total)((n, line) => n + line)).get

  @Benchmark
  def shortLines(): Total = loop.run(Stream.from(short).lines().fold(new Total)((n, line) => n + line)).get

  /** The same by hand, as one text. */
  @Benchmark
  def linesOfText(): Total =
    new String(pieces.toArray.flatten, US_ASCII).linesIterator.foldLeft(new Total)((n, line) => n + line)

  /** All elements are offered before the first one is read. */
  @Benchmark
  def pushAhead(): Total = {
    val push = new Push[Integer](StreamBenchmark.Elements)
    elements.foreach(push.offer)
    push.complete()
    sum(push.stream)
  }

  /** The reader, on the same loop, waits for each element. */
  @Benchmark
  def pushToWaiting(): Total = {
    val push = new Push[Integer](64)
    loop.within {
      val all = push.stream.fold(new Total)(_ + _)
      elements.foreach(push.offer)
      push.complete()
      loop.runAll()
      all.poll.get.get
    }
  }

  /** From one loop's thread to another's, with waiting for room: 64 elements. */
  @Benchmark
  def pushAcrossLoops(): Total = {
    val push = new Push[Integer](64)
    val all  = Async.run(reader)(push.stream.fold(new Total)(_ + _))
    Async.run(writer)(Stream.from(elements).mapAsync(1)(push.send(_)).onEnd(push.complete()).drain())
    Await.result(all, 1.minute)
  }

  private val plusOne: Integer => Integer = n => StreamBenchmark.next(n)
}

/** Counts without an object for each sum, so that only what streams allocate is measured. */
final class Total {
  private var total              = 0L
  def sum: Long                  = total
  def +(element: Integer): Total = { total += element.longValue; this }
  def +(line: String): Total     = { total += line.length; this }
}

object StreamBenchmark {
  final val Elements = 1000

  private val boxed = Array.tabulate(Elements + 100)(Int.box)

  /** One more, without a new object. */
  def next(n: Integer): Integer = boxed(n + 1)

}
