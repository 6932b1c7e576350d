package needletail.bench

import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations.*

import needletail.content.*
import needletail.http.{Headers, Method, Request, Response}
import needletail.routing.*
import needletail.testkit.*

/**
 * A response of 10 KB of JSON, compressed and not. `bench/gzip/zlib.c` tells what zlib alone needs for the same content
 * at the same level, the default.
 */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(2)
class GzipBenchmark {
  private val json =
    Files.readAllBytes(List("bench/gzip", "../gzip").map(Path.of(_, "sample.json")).find(Files.exists(_)).get)

  private val routes =
    (GET / "json" to Response.ok.contentType("application/json").bytes(json)).compressed(CompressionConfig())

  private val loop   = new ManualLoop
  private val plain  = Request.get("/json")
  private val zipped = Request(Method.GET, "/json", Headers("Accept-Encoding" -> "gzip"))

  @Benchmark def identity: Int = routes.test(plain, loop).response.content.length

  @Benchmark def gzip: Int = routes.test(zipped, loop).response.content.length
}
