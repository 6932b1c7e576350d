package needletail.bench

import java.nio.charset.StandardCharsets.US_ASCII
import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations.*

import needletail.http.http1.{HeadLimits, HeadParser}

/** One complete request head in an array. Must allocate 0 bytes per request. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
class HeadParserBenchmark {
  private val parser  = new HeadParser(HeadLimits())
  private val load    = Samples.load.getBytes(US_ASCII)
  private val browser = Samples.browser.getBytes(US_ASCII)
  private val sixteen = (Samples.load * 16).getBytes(US_ASCII)

  /** As load generators send it. */
  @Benchmark
  def small(): Int = parser.parse(load, 0, load.length)

  /** As a browser sends it: some fifteen fields, a cookie, a query. */
  @Benchmark
  def large(): Int = parser.parse(browser, 0, browser.length)

  /** One read with 16 pipelined requests; time and allocation per request. */
  @Benchmark
  @OperationsPerInvocation(16)
  def pipelined(): Int = {
    var at = 0
    while (at < sixteen.length) at += parser.parse(sixteen, at, sixteen.length)
    at
  }
}
