import java.time.format.DateTimeFormatter
import java.time.{ZoneOffset, ZonedDateTime}
import java.util.Locale

import com.fasterxml.jackson.databind.ObjectMapper
import com.twitter.conversions.StorageUnitOps._
import com.twitter.finagle.http.{Method, Request, Response, Status, Version}
import com.twitter.finagle.stats.NullStatsReceiver
import com.twitter.finagle.tracing.NullTracer
import com.twitter.finagle.{Http, Service}
import com.twitter.io.Buf
import com.twitter.util.{Await, Future}

/** Finagle's HTTP server without statistics and tracing. Date and Server are set by the application. */
object FinagleServer {
  private val mapper = new ObjectMapper
  private val hello  = Buf.Utf8("Hello, World!")
  private val format = DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)

  @volatile private var dated: (Long, String) = (0L, "")

  private def date: String = {
    val second = System.currentTimeMillis() / 1000
    if (dated._1 != second) dated = (second, format.format(ZonedDateTime.now(ZoneOffset.UTC)))
    dated._2
  }

  private def answer(contentType: String): Response = {
    val response = Response(Version.Http11, Status.Ok)
    response.headerMap.setUnsafe("Content-Type", contentType)
    response.headerMap.setUnsafe("Server", "finagle")
    response.headerMap.setUnsafe("Date", date)
    response
  }

  private val endpoints = Service.mk[Request, Response] { request =>
    request.path match {
      case "/plaintext" =>
        val response = answer("text/plain")
        response.content = hello
        Future.value(response)
      case "/json" =>
        val response = answer("application/json")
        response.content = Buf.ByteArray.Owned(mapper.writeValueAsBytes(java.util.Collections.singletonMap("message", "Hello, World!")))
        Future.value(response)
      case "/echo" if request.method == Method.Post =>
        val response = answer("application/octet-stream")
        response.content = request.content
        Future.value(response)
      case _ => Future.value(Response(Status.NotFound))
    }
  }

  def main(arguments: Array[String]): Unit = {
    val server = Http.server
      .withStatsReceiver(NullStatsReceiver)
      .withTracer(NullTracer)
      .withMaxRequestSize(64.megabytes)
      .serve(s"127.0.0.1:${arguments(0)}", endpoints)
    Await.ready(server)
    ()
  }
}
