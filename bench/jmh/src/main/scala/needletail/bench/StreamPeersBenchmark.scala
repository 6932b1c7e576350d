package needletail.bench

import java.nio.charset.StandardCharsets.US_ASCII
import java.util.concurrent.TimeUnit

import scala.concurrent.{Await, Future}
import scala.concurrent.duration._

import cats.effect.IO
import cats.effect.unsafe.implicits.global
import org.apache.pekko.actor.ActorSystem
import org.apache.pekko.stream.scaladsl.{Framing, Sink, Source}
import org.apache.pekko.util.ByteString
import org.openjdk.jmh.annotations.*

/** What `StreamBenchmark` measures, with fs2 and Pekko Streams; starting and waiting for a stream is part of it, as there. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
class StreamPeersBenchmark {
  private val elements: Vector[Integer]   = Vector.tabulate(StreamBenchmark.Elements)(Int.box)
  private val pieces: Vector[Array[Byte]] =
    ("x" * 79 + "\n").repeat(820).getBytes(US_ASCII).take(65536).grouped(4096).toVector
  private val strings                     = pieces.map(ByteString.fromArrayUnsafe(_))
  private val chunks                      = pieces.map(fs2.Chunk.array(_))
  private val plusOne: Integer => Integer = n => StreamBenchmark.next(n)

  private implicit val system: ActorSystem = ActorSystem("bench")

  @TearDown
  def close(): Unit = { Await.result(system.terminate(), 1.minute); () }

  @Benchmark
  def iteratorMapFilterTake(): Total =
    elements.iterator.map(plusOne).filter(_.intValue != 7).take(900).foldLeft(new Total)(_ + _)

  /** All elements are one chunk, which is what fs2 is fastest with. */
  @Benchmark
  def fs2MapFilterTake(): Total =
    fs2.Stream.emits(elements).covary[IO].map(plusOne).filter(_.intValue != 7).take(900)
      .compile.fold(new Total)(_ + _).unsafeRunSync()

  /** One element at a time, as from a source that gives one at a time. */
  @Benchmark
  def fs2MapFilterTakeSingly(): Total =
    fs2.Stream.fromIterator[IO](elements.iterator, 1).map(plusOne).filter(_.intValue != 7).take(900)
      .compile.fold(new Total)(_ + _).unsafeRunSync()

  @Benchmark
  def fs2MapAsyncReady(): Total =
    fs2.Stream.emits(elements).covary[IO].parEvalMap(8)(n => IO.pure(n)).compile.fold(new Total)(_ + _)
      .unsafeRunSync()

  @Benchmark
  def fs2Lines(): Total =
    fs2.Stream.emits(chunks).covary[IO].unchunks.through(fs2.text.utf8.decode).through(fs2.text.lines)
      .compile.fold(new Total)((n, line) => n + line).unsafeRunSync()

  private def run[A](source: Source[A, Any])(f: (Total, A) => Total): Total =
    Await.result(source.runWith(Sink.fold(new Total)(f)), 1.minute)

  @Benchmark
  def pekkoMapFilterTake(): Total =
    run(Source(elements).map(plusOne).filter(_.intValue != 7).take(900))(_ + _)

  @Benchmark
  def pekkoMapAsyncReady(): Total =
    run(Source(elements).mapAsync(8)(n => Future.successful(n)))(_ + _)

  @Benchmark
  def pekkoLines(): Total =
    run(
      Source(strings).via(Framing.delimiter(ByteString("\n"), 8192, allowTruncation = true)).map(_.utf8String)
    )((n, line) => n + line)
}
