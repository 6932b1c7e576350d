package needletail.bench.gzip

import java.io.{BufferedReader, FileReader}
import java.nio.file.{Files, Paths}

import needletail.content.*
import needletail.http.{Headers, Method, Request, Response}
import needletail.routing.*
import needletail.testkit.*

/**
 * What it costs to compress a response, beside `zlib.c`: FILE SECONDS. Prints the processor time of one response, in
 * microseconds, compressed by default and as it is, and the length of the compressed one. Linux only.
 */
object Main {
  def main(args: Array[String]): Unit = {
    val json    = Files.readAllBytes(Paths.get(args(0)))
    val seconds = args(1).toDouble
    val routes  =
      (GET / "json" to Response.ok.contentType("application/json").bytes(json)).compressed(
        CompressionConfig()
      )
    val loop   = new ManualLoop
    val zipped = Request(Method.GET, "/json", Headers("Accept-Encoding" -> "gzip"))
    val plain  = Request.get("/json")

    def length(request: Request): Int = routes.test(request, loop).response.content.length

    for (_ <- 1 to 2) { // the first is for the JVM's compilers
      val compressed = cost(seconds)(length(zipped))
      val identity   = cost(seconds)(length(plain))
      println(f"$compressed%.1f $identity%.1f ${length(zipped)}%d")
    }
  }

  private def cost(seconds: Double)(work: => Int): Double = {
    val begun = processorSeconds()
    var times = 0L
    var spent = 0.0
    while (spent < seconds) {
      for (_ <- 1 to 500) work
      times += 500
      spent = processorSeconds() - begun
    }
    spent * 1e6 / times.toDouble
  }

  /** User and system time of this process, with all its threads, to a hundredth of a second (proc(5)). */
  private def processorSeconds(): Double = {
    val in = new BufferedReader(new FileReader("/proc/self/stat"))
    try {
      val line   = in.readLine()
      val fields = line.substring(line.lastIndexOf(')') + 2).split(' ')
      (fields(11).toLong + fields(12).toLong) / 100.0
    } finally in.close()
  }
}
