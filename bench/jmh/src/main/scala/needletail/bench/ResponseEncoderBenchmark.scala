package needletail.bench

import java.nio.charset.StandardCharsets.US_ASCII
import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations.*

import needletail.http.{Response, ResponseEncoder}
import needletail.http.text.ByteWriter

/** One response head with its content, into an existing buffer. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
class ResponseEncoderBenchmark {
  private val out    = new ByteWriter(4096)
  private val common =
    ResponseEncoder.common("Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nServer: needletail\r\n")
  private val hello = "Hello, World!".getBytes(US_ASCII)

  private val constant = Response.ok.contentType("text/plain").bytes(hello)

  /** A response that was sent before: its head is rendered once. Must allocate 0 bytes. */
  @Benchmark
  def constantResponse(): Int = write(constant)

  /** A response that is created for each request, as with JSON. */
  @Benchmark
  def freshResponse(): Int = write(Response.ok.contentType("application/json").bytes(hello))

  private def write(response: Response): Int = {
    out.clear()
    if (ResponseEncoder.whole(out, response, common, 1, keepAlive = true) < 0) {
      ResponseEncoder.head(out, response, common, 1, keepAlive = true)
      out.write(hello)
    }
    out.length
  }
}
